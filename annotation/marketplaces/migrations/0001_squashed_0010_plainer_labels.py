import annotation.marketplaces.models.connections
import annotation.models.fields
import annotation.models.sealed
import django.db.models.deletion
from annotation.operations.migration_operations import CreateModels
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [("marketplaces", "0001_release_0_1"), ("marketplaces", "0010_plainer_labels")]

    dependencies = [
        ('annotation', '0001_squashed_0025_asked_models'),
    ]

    operations = [
        CreateModels(
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
                    ('fees', models.CharField(choices=[('house', 'none'), ('mturk', "Mechanical Turk's of 2015: 20 %, 40 % from 10 assignments on"), ('pct33', '33.3 %'), ('pct43', '42.8 %')], default='house', max_length=5, verbose_name='fees')),
                    ('failures', models.PositiveIntegerField(default=0)),
                    ('rests_until', models.DateTimeField(blank=True, null=True)),
                    ('trouble', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='connections', to='annotation.project')),
                    ('options', annotation.models.fields.JSONTextField(db_default={}, default=dict)),
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
                    ('token', models.CharField(default=annotation.marketplaces.models.connections.token, max_length=64, unique=True)),
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
            migrations.CreateModel(
                name='PanelStudy',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token', models.CharField(default=annotation.marketplaces.models.connections.token, max_length=64, unique=True)),
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
                    ('warning', models.CharField(blank=True, choices=[('sensitive', 'sensitive content'), ('explicit', 'explicit content')], db_default='', max_length=9)),
                    ('warning_details', models.CharField(blank=True, db_default='', max_length=500)),
                    ('ids_kept_days', models.PositiveIntegerField(blank=True, null=True)),
                    ('screen_out_places', models.PositiveIntegerField(db_default=0, default=0)),
                    ('screen_out_reward', models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=14)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('connection', 'external_id'), name='study_external_once'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'sending', 'settled', 'failed'])), name='study_state_known'), models.CheckConstraint(condition=models.Q(('goal__in', ['draft', 'active', 'paused', 'stopped'])), name='study_goal_known'), models.CheckConstraint(condition=models.Q(('hits_per_visit__gte', 1), ('places__gte', 1)), name='study_asks_somebody')],
                },
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
                    ('decision', models.CharField(blank=True, choices=[('approved', 'approved'), ('part', 'approved in part'), ('rejected', 'rejected'), ('return', 'return requested')], max_length=8)),
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
                    ('part_percent', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'live')), fields=['deadline'], name='visit_deadlines'), models.Index(condition=models.Q(models.Q(('decision', ''), _negated=True), ('sent_at__isnull', True)), fields=['due_at'], name='visit_unsent')],
                    'constraints': [models.UniqueConstraint(fields=('study', 'external_id'), name='visit_once'), models.UniqueConstraint(condition=models.Q(('state', 'live')), fields=('study', 'worker'), name='visit_one_live'), models.CheckConstraint(condition=models.Q(('state__in', ['live', 'done', 'ended'])), name='visit_state_known'), models.CheckConstraint(condition=models.Q(('decision__in', ['', 'approved', 'part', 'rejected', 'return'])), name='visit_decision_known'), models.CheckConstraint(condition=models.Q(('part_percent__lt', 100)), name='visit_part_is_a_part')],
                },
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
            migrations.CreateModel(
                name='VisitBonus',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('amount', models.DecimalField(decimal_places=2, max_digits=14)),
                    ('state', models.CharField(choices=[('intended', 'to be prepared'), ('prepared', 'prepared'), ('called', 'requested, not listed on the marketplace yet'), ('unclear', 'unclear: check it on the marketplace'), ('paid', 'paid'), ('refused', 'refused'), ('not_paid', 'not paid, as a requester confirmed')], default='intended', max_length=8)),
                    ('before', annotation.models.fields.JSONTextField(default=list)),
                    ('seen', annotation.models.fields.JSONTextField(default=list)),
                    ('payment', models.CharField(blank=True, max_length=64)),
                    ('tries', models.PositiveIntegerField(default=0)),
                    ('due_at', models.DateTimeField(blank=True, null=True)),
                    ('lease_until', models.DateTimeField(blank=True, null=True)),
                    ('called_at', models.DateTimeField(blank=True, null=True)),
                    ('was_taken', models.BooleanField(default=False)),
                    ('settled_at', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('visit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='marketplaces.visit')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state__in', ['intended', 'prepared', 'called'])), fields=['due_at'], name='bonus_due'), models.Index(condition=models.Q(('payment', ''), _negated=True), fields=['payment'], name='bonus_payment')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['intended', 'prepared', 'called', 'unclear'])), fields=('visit',), name='bonus_one_in_flight'), models.CheckConstraint(condition=models.Q(('state__in', ['intended', 'prepared', 'called', 'unclear', 'paid', 'refused', 'not_paid'])), name='bonus_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['prepared', 'called', 'unclear']), _negated=True), models.Q(('payment', ''), _negated=True), _connector='OR'), name='bonus_has_its_payment'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='bonus_positive')],
                },
            ),
            migrations.CreateModel(
                name='BonusShare',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('payment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='bonus_share', to='annotation.payment')),
                    ('bonus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shares', to='marketplaces.visitbonus')),
                ],
            ),
            migrations.CreateModel(
                name='Difference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('never_here', 'finished on the marketplace, never arrived here'), ('no_work', 'submitted on the marketplace, not finished here'), ('other_code', 'submitted on the marketplace with a different code'), ('not_back', 'finished here, not submitted on the marketplace'), ('decided_there', 'decided there, not here'), ('decided_here', 'decided here, not there'), ('bonus_unclear', 'a bonus whose payment is unclear'), ('bonus_unknown', 'a bonus that we did not pay'), ('study_state', 'the study is in another state'), ('places', 'the study has another number of places')], max_length=13)),
                    ('about', models.CharField(max_length=64)),
                    ('facts', annotation.models.fields.JSONTextField(default=dict)),
                    ('action', models.TextField(blank=True)),
                    ('found_at', models.DateTimeField(auto_now_add=True)),
                    ('noted_at', models.DateTimeField(blank=True, null=True)),
                    ('gone_at', models.DateTimeField(blank=True, null=True)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='differences', to='marketplaces.panelstudy')),
                    ('visit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='differences', to='marketplaces.visit')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('gone_at__isnull', True)), fields=('study', 'kind', 'about'), name='difference_open_once')],
                },
            ),
            migrations.CreateModel(
                name='EventSubscription',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('event', models.CharField(max_length=60)),
                    ('external_id', models.CharField(max_length=64)),
                    ('secret', annotation.models.sealed.SealedField()),
                    ('checked_at', models.DateTimeField(blank=True, null=True)),
                    ('renewed', models.PositiveIntegerField(default=0)),
                    ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subscriptions', to='marketplaces.connection')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('connection', 'event'), name='subscription_once')],
                },
            ),
            migrations.CreateModel(
                name='ParticipantGroup',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=300)),
                    ('external_id', models.CharField(max_length=64)),
                    ('members', annotation.models.fields.JSONTextField(default=list)),
                    ('synced_at', models.DateTimeField(blank=True, null=True)),
                    ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='groups', to='marketplaces.connection')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('connection', 'name'), name='participant_group_once')],
                },
            ),
            migrations.CreateModel(
                name='ReceivedEvent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('external_id', models.CharField(max_length=64)),
                    ('received_at', models.DateTimeField(auto_now_add=True)),
                    ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='received_events', to='marketplaces.connection')),
                ],
                options={
                    'indexes': [models.Index(fields=['received_at'], name='received_event_by_time')],
                    'constraints': [models.UniqueConstraint(fields=('connection', 'external_id'), name='received_event_once')],
                },
            ),
            migrations.CreateModel(
                name='Demographic',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('value', models.CharField(max_length=100)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='demographics', to='marketplaces.panelstudy')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='demographics', to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('study', 'worker', 'name'), name='demographic_once')],
                },
            ),
        ),
    ]
