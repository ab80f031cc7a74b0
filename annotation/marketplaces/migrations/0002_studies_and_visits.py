import annotation.marketplaces.models
import annotation.models.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_two_adjudicators'),
        ('marketplaces', '0001_release_0_1'),
    ]

    operations = [
        migrations.AddField(
            model_name='connection',
            name='options',
            field=annotation.models.fields.JSONTextField(db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='connection',
            name='fees',
            field=models.CharField(choices=[('house', 'none'), ('mturk', "Mechanical Turk's of 2015: 20 %, 40 % from 10 assignments on"), ('pct33', '33.3 % (Prolific, universities)'), ('pct43', '42.8 % (Prolific, companies)')], default='house', max_length=5, verbose_name='fees'),
        ),
        migrations.CreateModel(
            name='PanelStudy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=annotation.marketplaces.models.token, max_length=64, unique=True)),
                ('external_id', models.CharField(blank=True, max_length=64, null=True)),
                ('goal', models.CharField(choices=[('draft', 'draft'), ('active', 'active'), ('paused', 'paused'), ('stopped', 'stopped')], default='draft', max_length=7)),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('hits_per_visit', models.PositiveIntegerField()),
                ('reward', models.DecimalField(decimal_places=2, max_digits=14)),
                ('places', models.PositiveIntegerField()),
                ('minutes', models.PositiveIntegerField()),
                ('max_minutes', models.PositiveIntegerField()),
                ('codes', annotation.models.fields.JSONTextField(default=dict)),
                ('use_timed_out', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('waiting', 'to be sent'), ('sending', 'being sent'), ('settled', 'as wanted'), ('failed', 'failed')], default='settled', max_length=7)),
                ('standing', models.CharField(blank=True, max_length=9)),
                ('remote', annotation.models.fields.JSONTextField(default=dict)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('first_try_at', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='panel_study', to='annotation.batch')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panel_studies', to='marketplaces.connection')),
            ],
        ),
        migrations.CreateModel(
            name='Visit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=64)),
                ('participant', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('live', 'under way'), ('done', 'finished'), ('ended', 'ended without finishing')], default='live', max_length=5)),
                ('outcome', models.CharField(blank=True, max_length=20)),
                ('deadline', models.DateTimeField()),
                ('arrived_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('remote_state', models.CharField(blank=True, max_length=15)),
                ('remote', annotation.models.fields.JSONTextField(default=dict)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('decision', models.CharField(blank=True, choices=[('approved', 'approved'), ('rejected', 'rejected'), ('return', 'return requested')], max_length=8)),
                ('decision_text', models.TextField(blank=True)),
                ('decision_category', models.CharField(blank=True, max_length=40)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('trouble', models.CharField(blank=True, max_length=200)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='marketplaces.panelstudy')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='annotation.worker')),
            ],
        ),
        migrations.CreateModel(
            name='VisitAssignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='visited', to='annotation.assignment')),
                ('visit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplaces.visit')),
                ('freed_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddConstraint(
            model_name='panelstudy',
            constraint=models.UniqueConstraint(fields=('connection', 'external_id'), name='study_external_once'),
        ),
        migrations.AddConstraint(
            model_name='panelstudy',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sending', 'settled', 'failed'])), name='study_state_known'),
        ),
        migrations.AddConstraint(
            model_name='panelstudy',
            constraint=models.CheckConstraint(condition=models.Q(('goal__in', ['draft', 'active', 'paused', 'stopped'])), name='study_goal_known'),
        ),
        migrations.AddConstraint(
            model_name='panelstudy',
            constraint=models.CheckConstraint(condition=models.Q(('hits_per_visit__gte', 1), ('places__gte', 1)), name='study_asks_somebody'),
        ),
        migrations.AddIndex(
            model_name='visit',
            index=models.Index(condition=models.Q(('state', 'live')), fields=['deadline'], name='visit_deadlines'),
        ),
        migrations.AddIndex(
            model_name='visit',
            index=models.Index(condition=models.Q(models.Q(('decision', ''), _negated=True), ('sent_at__isnull', True)), fields=['due_at'], name='visit_unsent'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.UniqueConstraint(fields=('study', 'external_id'), name='visit_once'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'live')), fields=('study', 'worker'), name='visit_one_live'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['live', 'done', 'ended'])), name='visit_state_known'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.CheckConstraint(condition=models.Q(('decision__in', ['', 'approved', 'rejected', 'return'])), name='visit_decision_known'),
        ),
    ]
