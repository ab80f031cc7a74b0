import annotation.models.fields
import annotation.models.project
import django.db.models.deletion
from decimal import Decimal
from django.db import migrations, models


class Migration(migrations.Migration):
    """The schema of release 0.1. Databases of previews have it after their last migration (CHANGELOG.md)."""

    initial = True
    replaces = [("mturk_api", "0001_initial")]

    dependencies = [
        ('annotation', '0001_squashed_0025_asked_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='HitType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                ('group_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='hit_type', to='annotation.batch')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hit_types', to='annotation.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'digest'), name='hit_type_once')],
            },
        ),
        migrations.CreateModel(
            name='Listing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotation', models.CharField(blank=True, max_length=255)),
                ('layout_id', models.CharField(blank=True, max_length=64)),
                ('first_places', models.PositiveIntegerField(default=1)),
                ('reviewing', models.BooleanField(default=False)),
                ('held', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=14)),
                ('moves', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('assignment_policy', annotation.models.fields.JSONTextField(blank=True, null=True)),
                ('hit_policy', annotation.models.fields.JSONTextField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('extended_at', models.DateTimeField(blank=True, null=True)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('expiry_noticed', models.DateTimeField(blank=True, null=True)),
                ('reviewable_noticed', models.PositiveIntegerField(blank=True, null=True)),
                ('hit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='listing', to='annotation.hit')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listings', to='annotation.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'created_at', 'id'], name='listing_list'), models.Index(fields=['project', 'annotation'], name='listing_by_annotation'), models.Index(condition=models.Q(('due_at__isnull', False)), fields=['project', 'due_at'], name='listing_due')],
            },
        ),
        migrations.CreateModel(
            name='NotificationSetting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('destination', models.CharField(max_length=500)),
                ('transport', models.CharField(max_length=10)),
                ('version', models.CharField(max_length=20)),
                ('events', annotation.models.fields.JSONTextField(default=list)),
                ('active', models.BooleanField(default=True)),
                ('hit_type', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notification', to='mturk_api.hittype')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='annotation.accesskey')),
            ],
        ),
        migrations.CreateModel(
            name='PolicyOutcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                ('level', models.CharField(max_length=10)),
                ('action', models.BooleanField(default=False)),
                ('subject_type', models.CharField(max_length=10)),
                ('subject_id', models.CharField(max_length=64)),
                ('question_id', models.CharField(blank=True, max_length=255)),
                ('key', models.CharField(max_length=60)),
                ('value', models.TextField(blank=True)),
                ('status', models.CharField(blank=True, max_length=10)),
                ('text', models.TextField(blank=True)),
                ('error', models.CharField(blank=True, max_length=60)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('listing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outcomes', to='mturk_api.listing')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('status', 'INTENDED')), fields=['id'], name='policy_intended')],
            },
        ),
        migrations.CreateModel(
            name='RequestToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('family', models.CharField(max_length=40)),
                ('token', models.CharField(max_length=64)),
                ('result', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(db_index=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='annotation.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'family', 'token'), name='request_token_once')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                ('destination', models.CharField(max_length=500)),
                ('transport', models.CharField(max_length=10)),
                ('content', annotation.models.fields.JSONTextField()),
                ('state', models.CharField(choices=[('due', 'Due'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='due', max_length=9)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='annotation.accesskey')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.project')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'due')), fields=['due_at'], name='event_due'), models.Index(condition=models.Q(('state', 'due')), fields=['project', 'destination', 'due_at'], name='event_queue')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['due', 'delivered', 'failed'])), name='event_state_known')],
            },
        ),
    ]
