import annotation.marketplaces.models
import annotation.models.fields
import annotation.models.sealed
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The schema of release 0.1. Databases of previews have it after their last migration (CHANGELOG.md)."""

    initial = True
    replaces = [("marketplaces", "0001_initial"), ("marketplaces", "0003_labels")]

    dependencies = [
        ('annotation', '0001_release_0_1'),
    ]

    operations = [
        migrations.CreateModel(
            name='Connection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(verbose_name='name')),
                ('kind', models.CharField(db_default='mturk', default='mturk', max_length=20)),
                ('preset', models.CharField(choices=[('here', 'this installation'), ('other', 'another installation or endpoint'), ('aws', 'Amazon Mechanical Turk (closed in September 2026)'), ('sandbox', "Amazon's sandbox (closed in September 2026)")], default='here', max_length=7)),
                ('endpoint_url', models.CharField(max_length=300, verbose_name='endpoint')),
                ('worker_origin', models.CharField(max_length=300, verbose_name="origin of the workers' pages")),
                ('region', models.CharField(default='us-east-1', max_length=30, verbose_name='region')),
                ('key_id', models.CharField(max_length=128, verbose_name='access key ID')),
                ('secret', annotation.models.sealed.SealedField(verbose_name='secret access key')),
                ('fees', models.CharField(choices=[('house', 'none'), ('mturk', "Mechanical Turk's of 2015: 20 %, 40 % from 10 assignments on")], default='house', max_length=5, verbose_name='fees')),
                ('failures', models.PositiveIntegerField(default=0)),
                ('rests_until', models.DateTimeField(blank=True, null=True)),
                ('trouble', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='connections', to='annotation.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='connection_name_once'), models.CheckConstraint(condition=models.Q(('preset__in', ['here', 'other', 'aws', 'sandbox'])), name='connection_preset_known')],
            },
        ),
        migrations.CreateModel(
            name='BatchMarketplace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='marketplace', to='annotation.batch')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='marketplaces.connection')),
            ],
        ),
        migrations.CreateModel(
            name='Publication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=annotation.marketplaces.models.token, max_length=64, unique=True)),
                ('annotation', models.CharField(max_length=255, unique=True)),
                ('reward', models.DecimalField(decimal_places=2, max_digits=14)),
                ('wanted', models.PositiveIntegerField()),
                ('closes_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('waiting', 'to be sent'), ('sending', 'being sent'), ('published', 'published'), ('failed', 'failed')], default='waiting', max_length=9)),
                ('external_id', models.CharField(blank=True, max_length=64, null=True)),
                ('external_type', models.CharField(blank=True, max_length=64)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('first_try_at', models.DateTimeField(blank=True, null=True)),
                ('last_try_at', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('missed_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('remote', annotation.models.fields.JSONTextField(default=dict)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='publications', to='marketplaces.connection')),
                ('hit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='publication', to='annotation.hit')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'sending'])), fields=['due_at'], name='publication_unsent')],
                'constraints': [models.UniqueConstraint(fields=('connection', 'external_id'), name='publication_external_once'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sending', 'published', 'failed'])), name='publication_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'published'), _negated=True), ('external_id__isnull', False), _connector='OR'), name='publication_has_its_id')],
            },
        ),
        migrations.CreateModel(
            name='Arrival',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_assignment', models.CharField(max_length=64)),
                ('external_worker', models.CharField(max_length=64)),
                ('submit_to', models.CharField(max_length=500)),
                ('arrived_at', models.DateTimeField(auto_now_add=True)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
                ('remote_state', models.CharField(blank=True, max_length=10)),
                ('remote', annotation.models.fields.JSONTextField(default=dict)),
                ('trouble', models.CharField(blank=True, max_length=200)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('assignment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='arrival', to='annotation.assignment')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='arrivals', to='marketplaces.connection')),
                ('publication', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='arrivals', to='marketplaces.publication')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('connection', 'external_assignment', 'external_worker'), name='arrival_once')],
            },
        ),
    ]
