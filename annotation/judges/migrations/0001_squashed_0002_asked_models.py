import annotation.models.project
import annotation.models.sealed
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [("judges", "0001_first"), ("judges", "0002_asked_models")]

    dependencies = [
        ('annotation', '0001_squashed_0025_asked_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                ('endpoint', models.CharField(max_length=300, verbose_name='endpoint')),
                ('model', models.CharField(max_length=200, verbose_name='model')),
                ('secret', annotation.models.sealed.SealedField(blank=True, verbose_name='API key')),
                ('prompt', models.TextField(verbose_name='prompt')),
                ('prompt_hash', models.CharField(max_length=64)),
                ('every_item', models.BooleanField(default=False)),
                ('samples', models.PositiveSmallIntegerField(default=1)),
                ('temperature', models.FloatField(blank=True, null=True)),
                ('seed', models.PositiveIntegerField(blank=True, null=True)),
                ('concurrency', models.PositiveSmallIntegerField(default=8)),
                ('most_tokens', models.PositiveIntegerField(default=1024)),
                ('price_in', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('price_out', models.DecimalField(decimal_places=6, default=0, max_digits=12)),
                ('most_cost', models.DecimalField(blank=True, decimal_places=8, max_digits=15, null=True)),
                ('most_calls', models.PositiveIntegerField(blank=True, null=True)),
                ('terms', models.CharField(blank=True, max_length=500, verbose_name='terms for the output')),
                ('state', models.CharField(choices=[('draft', 'not confirmed'), ('running', 'running'), ('paused', 'paused'), ('done', 'done')], default='draft', max_length=7)),
                ('turn', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('calls_made', models.PositiveIntegerField(default=0)),
                ('spent', models.DecimalField(decimal_places=8, default=0, max_digits=15)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('not_before', models.DateTimeField(blank=True, null=True)),
                ('trouble', models.CharField(blank=True, max_length=500)),
                ('places', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_runs', to='annotation.batch')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(default='', max_length=200)),
                ('stored', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='model_run', to='annotation.batchmodel')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'running')), fields=['lease_until'], name='model_run_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'running', 'paused', 'done'])), name='model_run_state_known'), models.CheckConstraint(condition=models.Q(('most_cost__isnull', False), ('most_calls__isnull', False), _connector='OR'), name='model_run_has_ceiling')],
            },
        ),
        migrations.CreateModel(
            name='ModelCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sample', models.PositiveSmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('open', 'sent'), ('answered', 'answered'), ('misfit', 'does not fit'), ('repaired', 'asked again'), ('refused', 'refused'), ('failed', 'failed'), ('lost', 'lost')], default='open', max_length=8)),
                ('cost', models.DecimalField(decimal_places=8, max_digits=15)),
                ('tokens_in', models.PositiveIntegerField(blank=True, null=True)),
                ('tokens_out', models.PositiveIntegerField(blank=True, null=True)),
                ('why', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_calls', to='annotation.item')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='judges.modelrun')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['answered', 'misfit', 'refused'])), fields=('run', 'item', 'sample'), name='model_call_settles_once'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'answered', 'misfit', 'repaired', 'refused', 'failed', 'lost'])), name='model_call_state_known')],
            },
        ),
    ]
