import annotation.models.assignment
import annotation.models.fields
import annotation.models.project
import annotation.models.sealed
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.utils.timezone
from annotation.operations.migration_operations import AddTrigramIndex, CompressWithLz4, CreateModels
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

ERASED = "EXISTS (SELECT 1 FROM annotation_erasure WHERE project_id = OLD.project_id)"
MOVED = "id, project_id, source_id, target_id, amount, kind, key, created_at"  # all but notes, and who or what it is of

LINE = "id, project_id, via, act, kind, key, name, batch, details, at"  # all but the user, whose account may be erased
SQLITE = [
    f"""CREATE TRIGGER log_only_added BEFORE UPDATE OF {LINE} ON annotation_auditentry
BEGIN SELECT RAISE(ABORT, 'a line of the log cannot be changed'); END""",
    f"""CREATE TRIGGER log_stays BEFORE DELETE ON annotation_auditentry WHEN NOT {ERASED}
BEGIN SELECT RAISE(ABORT, 'a line of the log cannot be removed'); END""",
    f"""CREATE TRIGGER ledger_only_added BEFORE UPDATE OF {MOVED} ON annotation_entry
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be changed'); END""",
    f"""CREATE TRIGGER ledger_keeps_notes BEFORE UPDATE OF note ON annotation_entry WHEN NOT {ERASED}
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be changed'); END""",
    """CREATE TRIGGER ledger_stays BEFORE DELETE ON annotation_entry
BEGIN SELECT RAISE(ABORT, 'a row of the ledger cannot be removed'); END""",
    """CREATE TRIGGER answers_only_added BEFORE UPDATE ON annotation_workerresponse
BEGIN SELECT RAISE(ABORT, 'an answer cannot be changed'); END""",
]

# {trigger: (when, table, for each, what it refuses)}; `refused_unless_erased` lets the rows of an erased project go
POSTGRESQL_TRIGGERS = {
    "log_only_added": (f"UPDATE OF {LINE}", "auditentry", "ROW", "refused('a line of the log cannot be changed')"),
    "log_stays": ("DELETE", "auditentry", "ROW", "refused_unless_erased('a line of the log cannot be removed')"),
    "log_not_emptied": ("TRUNCATE", "auditentry", "STATEMENT", "refused('a line of the log cannot be removed')"),
    "ledger_only_added": (f"UPDATE OF {MOVED}", "entry", "ROW", "refused('a row of the ledger cannot be changed')"),
    "ledger_keeps_notes": (
        "UPDATE OF note",
        "entry",
        "ROW",
        "refused_unless_erased('a row of the ledger cannot be changed')",
    ),
    "ledger_stays": ("DELETE", "entry", "ROW", "refused('a row of the ledger cannot be removed')"),
    "ledger_not_emptied": ("TRUNCATE", "entry", "STATEMENT", "refused('a row of the ledger cannot be removed')"),
    "answers_only_added": ("UPDATE", "workerresponse", "ROW", "refused('an answer cannot be changed')"),
}
POSTGRESQL = [
    """CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$""",
    f"""CREATE FUNCTION refused_unless_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT {ERASED} THEN RAISE EXCEPTION '%', TG_ARGV[0]; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$""",
    *(
        f"CREATE TRIGGER {name} BEFORE {when} ON annotation_{table} FOR EACH {each} EXECUTE FUNCTION {act}"
        for name, (when, table, each, act) in POSTGRESQL_TRIGGERS.items()
    ),
]


def create_triggers(apps, schema_editor):
    """Refuse changes of rows that are only added. A migration that rebuilds one of these tables on SQLite does it again."""
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


def drop_triggers(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name, (_when, table, _each, _act) in POSTGRESQL_TRIGGERS.items():
            schema_editor.execute(f"DROP TRIGGER {name} ON annotation_{table}")
        schema_editor.execute("DROP FUNCTION refused(); DROP FUNCTION refused_unless_erased()")
        return
    for statement in SQLITE:
        schema_editor.execute(f"DROP TRIGGER {statement.split()[2]}")


class Migration(migrations.Migration):
    initial = True
    replaces = [("annotation", "0001_release_0_1"), ("annotation", "0025_asked_models")]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('sessions', '0001_initial'),
    ]

    operations = [
        CreateModels(
            migrations.CreateModel(
                name='Project',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(unique=True, verbose_name='short name')),
                    ('title', models.CharField(max_length=200, verbose_name='title')),
                    ('consent', models.TextField(blank=True, verbose_name='consent text')),
                    ('consent_version', models.PositiveIntegerField(default=1)),
                    ('pseudonym_key', models.CharField(default=annotation.models.project.random_key, editable=False, max_length=64)),
                    ('sign_up', models.CharField(choices=[('invite', 'by invite only'), ('house', 'anyone with an account on this installation'), ('open', "anyone, on the project's open page")], default='invite', max_length=6, verbose_name='who may join as a worker')),
                    ('fees', models.CharField(choices=[('house', 'none'), ('mturk', "Mechanical Turk's of 2015: 20 %, 40 % from 10 assignments on")], default='house', max_length=5, verbose_name='marketplace fees')),
                    ('two_factor', models.BooleanField(default=False, verbose_name='members must use two-factor authentication')),
                    ('wage_floor', models.DecimalField(blank=True, decimal_places=2, max_digits=7, null=True, verbose_name='minimum hourly wage')),
                    ('webhook_kinds', models.CharField(blank=True, max_length=100)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('ask_models', models.BooleanField(db_default=True, default=True, verbose_name='items may be sent to models')),
                ],
            ),
            migrations.CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                    ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                    ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                    ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                    ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                    ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                    ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                    ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                    ('display_name', models.CharField(blank=True, max_length=150, verbose_name='name')),
                    ('shortcuts', annotation.models.fields.JSONTextField(default=dict)),
                    ('muted', annotation.models.fields.JSONTextField(default=list)),
                    ('language', models.CharField(blank=True, db_default='', default='', max_length=10)),
                    ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                    ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                    ('name_key', models.CharField(editable=False, max_length=500, null=True, unique=True)),
                    ('sessions_ended', models.PositiveIntegerField(db_default=0, default=0)),
                ],
                options={
                    'verbose_name': 'user',
                    'verbose_name_plural': 'users',
                    'abstract': False,
                    'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='user_name_once')],
                },
            ),
            migrations.CreateModel(
                name='ApiRequest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=255)),
                    ('digest', models.CharField(max_length=64)),
                    ('status', models.PositiveSmallIntegerField(default=0)),
                    ('answer', annotation.models.fields.JSONTextField(default=dict)),
                    ('location', models.CharField(blank=True, max_length=500)),
                    ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='api_request_once')],
                },
            ),
            migrations.CreateModel(
                name='Dataset',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=100, verbose_name='name')),
                    ('state', models.CharField(choices=[('importing', 'importing'), ('ready', 'ready'), ('removing', 'deleting')], default='importing', max_length=10)),
                    ('format', models.CharField(max_length=30)),
                    ('sha256', models.CharField(max_length=64)),
                    ('file_name', models.CharField(blank=True, max_length=255)),
                    ('licence', models.CharField(blank=True, max_length=200, verbose_name='licence')),
                    ('source', models.CharField(blank=True, max_length=500, verbose_name='source')),
                    ('size', models.PositiveIntegerField(default=0)),
                    ('features', annotation.models.fields.JSONTextField(default=dict)),
                    ('report', annotation.models.fields.JSONTextField(default=dict)),
                    ('lineage', annotation.models.fields.JSONTextField(default=dict)),
                    ('stand', models.CharField(blank=True, max_length=64)),
                    ('archived_at', models.DateTimeField(blank=True, null=True)),
                    ('beat_at', models.DateTimeField(auto_now_add=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('root', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='descendants', to='annotation.dataset')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='datasets', to='annotation.project')),
                    ('ethics', models.CharField(blank=True, db_default='', default='', max_length=500, verbose_name='ethics approval')),
                    ('consent', models.CharField(blank=True, db_default='', default='', max_length=500, verbose_name='consent')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='dataset_name_once'), models.CheckConstraint(condition=models.Q(('state__in', ['importing', 'ready', 'removing'])), name='dataset_state_known')],
                },
            ),
            migrations.CreateModel(
                name='Item',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('source_id', models.CharField(max_length=500)),
                    ('group_key', models.CharField(max_length=300)),
                    ('question', models.TextField()),
                    ('hops', models.PositiveSmallIntegerField(default=0)),
                    ('shape', models.CharField(blank=True, max_length=60)),
                    ('answerable', models.BooleanField(blank=True, null=True)),
                    ('content', annotation.models.fields.JSONTextField()),
                    ('version', models.PositiveIntegerField(default=1)),
                    ('superseded_at', models.DateTimeField(blank=True, null=True)),
                    ('note', models.CharField(blank=True, max_length=500)),
                    ('edited_at', models.DateTimeField(blank=True, null=True)),
                    ('archived_at', models.DateTimeField(blank=True, null=True)),
                    ('archive_reason', models.CharField(blank=True, max_length=500)),
                    ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.dataset')),
                    ('edited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['dataset', 'source_id'], name='item_by_source_id'), models.Index(condition=models.Q(('question__length__lte', 600), ('superseded_at__isnull', True)), fields=['dataset', 'question'], name='item_question'), models.Index(condition=models.Q(('question__length__gt', 600), ('superseded_at__isnull', True)), fields=['dataset'], name='item_long_question'), models.Index(condition=models.Q(('archived_at__isnull', True), ('superseded_at__isnull', True)), fields=['dataset', 'position'], name='item_usable')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('superseded_at__isnull', True)), fields=('dataset', 'position'), name='item_position_once'), models.UniqueConstraint(fields=('dataset', 'position', 'version'), name='item_version_once')],
                },
            ),
            migrations.CreateModel(
                name='Job',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                    ('kind', models.CharField(max_length=40)),
                    ('title', models.CharField(max_length=300)),
                    ('arguments', annotation.models.fields.JSONTextField(default=dict)),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='waiting', max_length=7)),
                    ('due_at', models.DateTimeField()),
                    ('lease_until', models.DateTimeField(blank=True, null=True)),
                    ('tries', models.PositiveIntegerField(default=0)),
                    ('done', models.PositiveBigIntegerField(default=0)),
                    ('total', models.PositiveBigIntegerField(default=0)),
                    ('result', annotation.models.fields.JSONTextField(default=dict)),
                    ('error', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['due_at'], name='job_due'), models.Index(condition=models.Q(('state', 'failed')), fields=['ended_at'], name='job_failed')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done', 'failed'])), name='job_state_known')],
                },
            ),
            migrations.CreateModel(
                name='Payout',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payouts', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='payout_number_once')],
                },
            ),
            migrations.CreateModel(
                name='PredictionSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('model', models.CharField(max_length=200)),
                    ('sha256', models.CharField(max_length=64)),
                    ('ready', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prediction_sets', to='annotation.dataset')),
                    ('shown', models.CharField(blank=True, choices=[('question', 'question'), ('one_paragraph', 'one_paragraph'), ('closed_book', 'closed_book')], db_default='', default='', max_length=20)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('dataset', 'model', 'shown'), name='prediction_set_once_shown')],
                },
            ),
            migrations.CreateModel(
                name='Prediction',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('content', annotation.models.fields.JSONTextField()),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='predictions', to='annotation.item')),
                    ('prediction_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='predictions', to='annotation.predictionset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('prediction_set', 'item'), name='prediction_once')],
                },
            ),
            migrations.CreateModel(
                name='Member',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('owner', 'owner'), ('requester', 'requester'), ('reviewer', 'reviewer')], default='owner', max_length=10, verbose_name='role')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='member_once'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'requester', 'reviewer'])), name='member_role_known')],
                },
            ),
            migrations.CreateModel(
                name='Invite',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token', models.CharField(default=annotation.models.project.random_key, max_length=64, unique=True)),
                    ('role', models.CharField(choices=[('worker', 'worker'), ('reviewer', 'reviewer'), ('requester', 'requester'), ('owner', 'owner')], max_length=10)),
                    ('note', models.CharField(blank=True, max_length=200, verbose_name='note')),
                    ('places', models.PositiveIntegerField(default=1, verbose_name='number of people')),
                    ('used', models.PositiveIntegerField(default=0)),
                    ('expires_at', models.DateTimeField()),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invites', to='annotation.project')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('used__lte', models.F('places'))), name='invite_not_overused'), models.CheckConstraint(condition=models.Q(('role__in', ['worker', 'reviewer', 'requester', 'owner'])), name='invite_role_known')],
                },
            ),
            migrations.CreateModel(
                name='Erasure',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rows', models.PositiveBigIntegerField(default=0)),
                    ('begun_at', models.DateTimeField(auto_now_add=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='erasure', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('ended_at', None)), fields=['begun_at'], name='erasure_under_way')],
                },
            ),
            migrations.CreateModel(
                name='AuditEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('via', models.CharField(choices=[('page', 'on a page'), ('api', 'through the API'), ('mturk', 'through the MTurk API'), ('job', 'by a background job'), ('command', 'on the command line'), ('clock', 'automatically')], max_length=7)),
                    ('act', models.CharField(max_length=30)),
                    ('kind', models.CharField(max_length=20)),
                    ('key', models.CharField(max_length=100)),
                    ('name', models.CharField(blank=True, max_length=200)),
                    ('batch', models.CharField(blank=True, max_length=100)),
                    ('details', annotation.models.fields.JSONTextField(default=dict)),
                    ('at', models.DateTimeField(auto_now_add=True)),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(fields=['project', '-at', '-id'], name='log_by_time'), models.Index(fields=['project', 'batch', '-at'], name='log_of_batch')],
                },
            ),
            migrations.CreateModel(
                name='ApiToken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scope', models.CharField(choices=[('read', 'read only'), ('write', 'read and write')], default='write', max_length=5, verbose_name='permission')),
                    ('note', models.CharField(blank=True, max_length=100, verbose_name='purpose')),
                    ('digest', models.CharField(max_length=64, unique=True)),
                    ('ending', models.CharField(max_length=4)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to='annotation.project')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'write'])), name='api_token_scope_known')],
                },
            ),
            migrations.CreateModel(
                name='Account',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=60)),
                    ('balance', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=14)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accounts', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='account_once'), models.CheckConstraint(condition=models.Q(('balance__gte', 0), ('name', 'outside'), _connector='OR'), name='account_not_overdrawn')],
                },
            ),
            migrations.CreateModel(
                name='AccessKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key_id', models.CharField(max_length=40, unique=True)),
                    ('secret', annotation.models.sealed.SealedField()),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_keys', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_keys', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='QualificationType',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                    ('name', models.CharField(max_length=200, verbose_name='name')),
                    ('description', models.TextField(blank=True, verbose_name='description')),
                    ('keywords', models.CharField(blank=True, max_length=1000, verbose_name='keywords')),
                    ('status', models.CharField(choices=[('Active', 'active'), ('Inactive', 'inactive')], default='Active', max_length=8)),
                    ('retry_seconds', models.PositiveIntegerField(blank=True, null=True)),
                    ('test', models.TextField(blank=True)),
                    ('answer_key', models.TextField(blank=True)),
                    ('test_seconds', models.PositiveIntegerField(blank=True, null=True)),
                    ('auto_granted', models.BooleanField(default=False)),
                    ('auto_value', models.IntegerField(default=1)),
                    ('deleted_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualification_types', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(fields=['project', 'created_at', 'id'], name='qualification_type_list')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True)), fields=('project', 'name'), name='qualification_type_name_once'), models.CheckConstraint(condition=models.Q(('status__in', ['Active', 'Inactive'])), name='qualification_type_status_known')],
                },
            ),
            migrations.CreateModel(
                name='SecondFactor',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('secret', annotation.models.sealed.SealedField()),
                    ('last_step', models.BigIntegerField(default=-1)),
                    ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                    ('failed', models.PositiveIntegerField(db_default=0, default=0)),
                    ('rests_until', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='second_factor', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='BackupCode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('digest', models.CharField(max_length=64)),
                    ('used_at', models.DateTimeField(blank=True, null=True)),
                    ('factor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='annotation.secondfactor')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('factor', 'digest'), name='backup_code_once')],
                },
            ),
            migrations.CreateModel(
                name='SignInTry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=64)),
                    ('place', models.CharField(db_default='', max_length=64)),
                    ('at', models.DateTimeField(db_index=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['key', 'at'], name='sign_in_tries'), models.Index(fields=['place', 'at'], name='sign_in_tries_of_place')],
                },
            ),
            migrations.CreateModel(
                name='Worker',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('external_id', models.CharField(blank=True, max_length=200, null=True)),
                    ('public_id', models.CharField(default=annotation.models.project.worker_id, max_length=64)),
                    ('country', models.CharField(blank=True, max_length=2, verbose_name='country')),
                    ('subdivision', models.CharField(blank=True, max_length=3, verbose_name='state or province')),
                    ('adult', models.BooleanField(default=False, verbose_name='of age, and willing to see adult content')),
                    ('consented_version', models.PositiveIntegerField(default=0)),
                    ('consented_at', models.DateTimeField(blank=True, null=True)),
                    ('active', models.BooleanField(default=True)),
                    ('erased_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='workers', to='annotation.project')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='workers', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'user'), name='worker_once'), models.UniqueConstraint(fields=('project', 'external_id'), name='worker_external_once'), models.UniqueConstraint(fields=('project', 'public_id'), name='worker_id_once'), models.CheckConstraint(condition=models.Q(('user__isnull', False), ('external_id__isnull', False), _connector='OR'), name='worker_is_somebody')],
                },
            ),
            migrations.CreateModel(
                name='Qualification',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('value', models.IntegerField(default=1)),
                    ('state', models.CharField(choices=[('Granted', 'granted'), ('Revoked', 'revoked')], default='Granted', max_length=7)),
                    ('granted_at', models.DateTimeField()),
                    ('given_there', models.IntegerField(blank=True, null=True)),
                    ('type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='annotation.qualificationtype')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('type', 'worker'), name='qualification_once'), models.CheckConstraint(condition=models.Q(('state__in', ['Granted', 'Revoked'])), name='qualification_state_known')],
                },
            ),
            migrations.CreateModel(
                name='Batch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=100, verbose_name='name')),
                    ('title', models.CharField(max_length=200, verbose_name='title shown to workers')),
                    ('task', models.CharField(max_length=40, verbose_name='task')),
                    ('options', annotation.models.fields.JSONTextField(default=dict)),
                    ('sample', models.PositiveIntegerField(blank=True, null=True, verbose_name='items from each dataset')),
                    ('seed', models.BigIntegerField(default=0)),
                    ('assignments_per_hit', models.PositiveIntegerField(default=3, verbose_name='assignments per HIT')),
                    ('expected_seconds', models.PositiveIntegerField(default=0, verbose_name='expected time')),
                    ('meeting', models.CharField(choices=[('one', 'each worker gets only one item of a group'), ('apart', 'not in a row (another item in between)'), ('free', 'no restriction')], default='one', max_length=5, verbose_name='members of a group')),
                    ('purpose', models.CharField(choices=[('production', 'production'), ('qualification', 'qualification')], default='production', max_length=13)),
                    ('fresh_only', models.BooleanField(default=True, verbose_name='skip items that the worker has seen in another batch')),
                    ('disjoint', models.BooleanField(default=True, verbose_name='keep the items of qualification and production batches apart')),
                    ('unseen_only', models.BooleanField(default=False, verbose_name='use only items that no other batch of this task uses')),
                    ('picked', annotation.models.fields.JSONTextField(blank=True, null=True)),
                    ('description', models.TextField(blank=True, max_length=2000, verbose_name='description')),
                    ('keywords', models.CharField(blank=True, max_length=1000, verbose_name='keywords')),
                    ('reward', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8, verbose_name='reward')),
                    ('duration', models.PositiveIntegerField(blank=True, null=True)),
                    ('auto_approval', models.PositiveIntegerField(blank=True, null=True, verbose_name='automatic approval')),
                    ('requirements', annotation.models.fields.JSONTextField(default=list)),
                    ('on_marketplace', models.BooleanField(db_default=False, default=False)),
                    ('by_program', models.BooleanField(db_default=False, default=False)),
                    ('has_reserved_hits', models.BooleanField(default=False)),
                    ('check_share', models.FloatField(default=0, verbose_name='share of hidden gold')),
                    ('check_rule', annotation.models.fields.JSONTextField(default=dict)),
                    ('state', models.CharField(choices=[('draft', 'draft'), ('launching', 'launching'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='draft', max_length=10)),
                    ('size', models.PositiveIntegerField(default=0)),
                    ('next_ticket', models.PositiveBigIntegerField(default=0)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('launched_at', models.DateTimeField(blank=True, null=True)),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('checks', models.ManyToManyField(blank=True, related_name='checked', to='annotation.dataset')),
                    ('datasets', models.ManyToManyField(related_name='batches', to='annotation.dataset')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='annotation.project')),
                    ('workers', models.ManyToManyField(blank=True, related_name='chosen_for', to='annotation.worker')),
                    ('same_order', models.BooleanField(db_default=True, default=False, verbose_name='same order for all')),
                    ('two_adjudicators', models.BooleanField(db_default=False, default=False)),
                    ('shows_scores', models.BooleanField(db_default=False, default=False)),
                    ('most_per_worker', models.PositiveIntegerField(blank=True, null=True, verbose_name='HITs per worker at most')),
                    ('has_group_parts', models.BooleanField(db_default=False, default=False)),
                    ('source_batches', models.ManyToManyField(related_name='+', to='annotation.batch')),
                    ('counts_pasting', models.BooleanField(db_default=False, default=False)),
                    ('experiment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='arms', to='annotation.experiment')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['project'], name='batch_given_out')],
                    'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='batch_name_once'), models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'launching', 'open', 'paused', 'closed'])), name='batch_state_known'), models.CheckConstraint(condition=models.Q(('assignments_per_hit__gte', 1)), name='batch_asks_somebody')],
                },
            ),
            migrations.CreateModel(
                name='BatchActivity',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('announced_at', models.DateTimeField(blank=True, null=True)),
                    ('open_since', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('stalled_at', models.DateTimeField(blank=True, null=True)),
                    ('to_adjudicate', models.PositiveIntegerField(default=0)),
                    ('in_doubt', models.PositiveIntegerField(default=0)),
                    ('counted_at', models.DateTimeField(blank=True, null=True)),
                    ('announced_tenths', models.PositiveSmallIntegerField(default=0)),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='activity', to='annotation.batch')),
                ],
            ),
            migrations.CreateModel(
                name='BatchReport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('stand', models.CharField(max_length=200)),
                    ('content', annotation.models.fields.JSONTextField()),
                    ('created_at', models.DateTimeField(auto_now=True)),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report', to='annotation.batch')),
                ],
            ),
            migrations.CreateModel(
                name='Hit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                    ('group_key', models.CharField(max_length=300)),
                    ('payload', annotation.models.fields.JSONTextField()),
                    ('ticket', models.PositiveBigIntegerField()),
                    ('wanted', models.PositiveIntegerField()),
                    ('live', models.PositiveIntegerField(default=0)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('room', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wanted'), '-', models.F('live')), '-', models.F('done')), output_field=models.IntegerField())),
                    ('disagreement', models.FloatField(blank=True, null=True)),
                    ('score', models.FloatField(blank=True, null=True)),
                    ('reward', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8)),
                    ('promised', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
                    ('check_item', models.BooleanField(default=False)),
                    ('closes_at', models.DateTimeField(blank=True, null=True)),
                    ('excluded_at', models.DateTimeField(blank=True, null=True)),
                    ('exclusion_reason', models.CharField(blank=True, max_length=500)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='annotation.batch')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='annotation.item')),
                    ('changes', models.PositiveIntegerField(db_default=1, default=1)),
                    ('concluded', models.PositiveIntegerField(db_default=0, default=0)),
                    ('open_kind', models.CharField(blank=True, max_length=100, null=True)),
                    ('standing', models.PositiveIntegerField(db_default=0, default=0)),
                    ('in_doubt', models.BooleanField(db_default=False, default=False)),
                    ('cause', models.CharField(blank=True, db_default='', default='', max_length=20)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('excluded_at__isnull', True), ('room__gt', 0)), fields=['batch', 'ticket'], name='hit_queue'), models.Index(fields=['batch', 'excluded_at', 'check_item', 'wanted', 'done', 'live'], name='hit_progress'), models.Index(condition=models.Q(('concluded__lt', models.F('changes')), ('excluded_at__isnull', True)), fields=['batch', 'done', 'room', 'live'], name='hit_to_conclude'), models.Index(condition=models.Q(('excluded_at__isnull', True), ('open_kind__isnull', False)), fields=['batch', 'item', 'room', 'live'], name='hit_to_adjudicate'), models.Index(condition=models.Q(('excluded_at__isnull', True), ('in_doubt', True)), fields=['batch', 'item'], name='hit_in_doubt'), models.Index(fields=['batch', 'ticket'], name='hit_by_ticket'), models.Index(fields=['batch', '-done', 'id'], name='hit_by_done'), models.Index(models.F('batch'), models.OrderBy(models.Func('disagreement', output_field=models.FloatField(), template='COALESCE(%(expressions)s, -1)'), descending=True), models.F('id'), models.F('disagreement'), models.F('check_item'), name='hit_by_disagreement'), models.Index(condition=models.Q(('cause', ''), _negated=True), fields=['batch', 'cause'], name='hit_by_cause')],
                    'constraints': [models.UniqueConstraint(fields=('batch', 'item'), name='hit_once_per_batch'), models.CheckConstraint(condition=models.Q(('wanted__gte', django.db.models.expressions.CombinedExpression(models.F('live'), '+', models.F('done')))), name='hit_not_overallocated')],
                },
            ),
            migrations.CreateModel(
                name='GoldDecision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('decision', models.CharField(choices=[('alias', 'added as an alias'), ('correction', 'gold corrected'), ('stands', 'gold kept'), ('reopened', 'undone')], max_length=10)),
                    ('text', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('reviewer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_decisions', to='annotation.hit')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('decision__in', ['alias', 'correction', 'stands', 'reopened'])), name='gold_decision_known'), models.CheckConstraint(condition=models.Q(('decision', 'alias'), ('text', ''), _negated=True), name='gold_alias_has_text')],
                },
            ),
            migrations.CreateModel(
                name='Instructions',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField()),
                    ('text', models.TextField(verbose_name='instructions')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='instructions_versions', to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'version'), name='guide_version_once')],
                },
            ),
            migrations.CreateModel(
                name='PartReport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('part', models.CharField(max_length=2000)),
                    ('stand', models.CharField(max_length=200)),
                    ('content', annotation.models.fields.JSONTextField()),
                    ('created_at', models.DateTimeField(auto_now=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='part_reports', to='annotation.batch')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'part'), name='part_report_once')],
                },
            ),
            migrations.CreateModel(
                name='Notice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('work', 'new work for you'), ('finished', 'a batch is finished'), ('stalled', 'a batch has stalled'), ('failed', 'an import, a launch or another job failed'), ('money', 'the budget is running out'), ('comment', 'somebody mentions you in a comment'), ('password', 'a new password by a link')], max_length=8)),
                    ('key', models.CharField(max_length=120)),
                    ('facts', annotation.models.fields.JSONTextField(default=dict)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('read_at', models.DateTimeField(blank=True, null=True)),
                    ('mail_id', models.UUIDField(blank=True, null=True)),
                    ('mail_lease_until', models.DateTimeField(blank=True, null=True)),
                    ('mailed_at', models.DateTimeField(blank=True, null=True)),
                    ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='annotation.batch')),
                    ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='annotation.job')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='annotation.project')),
                    ('comment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='annotation.comment')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('read_at__isnull', True)), fields=['user'], name='notice_unread'), models.Index(fields=['user', '-created_at'], name='notice_by_time'), models.Index(condition=models.Q(('mail_id__isnull', False)), fields=['mail_id'], name='notice_letter')],
                    'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='notice_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['work', 'finished', 'stalled', 'failed', 'money', 'comment', 'password'])), name='notice_kind_known')],
                },
            ),
            migrations.CreateModel(
                name='QualificationChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('value', models.IntegerField()),
                    ('state', models.CharField(choices=[('Granted', 'granted'), ('Revoked', 'revoked')], max_length=7)),
                    ('source', models.CharField(max_length=10)),
                    ('reason', models.CharField(blank=True, max_length=1000)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='annotation.qualification')),
                ],
            ),
            migrations.CreateModel(
                name='QualificationRound',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('per_worker', models.PositiveIntegerField(verbose_name='items per worker')),
                    ('attempts', models.PositiveIntegerField(default=1, verbose_name='attempts')),
                    ('grading', models.CharField(choices=[('gold', 'gold'), ('requester', "the requester's reviews")], default='gold', max_length=9)),
                    ('rule', annotation.models.fields.JSONTextField(default=list)),
                    ('seconds', models.PositiveIntegerField(blank=True, null=True, verbose_name='time limit')),
                    ('closes_at', models.DateTimeField(blank=True, null=True, verbose_name='ends')),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='round', to='annotation.batch')),
                    ('grants', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotation.qualificationtype')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('attempts__gte', 1), ('per_worker__gte', 1)), name='round_asks')],
                },
            ),
            migrations.CreateModel(
                name='ResponseImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('sha256', models.CharField(max_length=64)),
                    ('file_name', models.CharField(blank=True, max_length=255)),
                    ('ready', models.BooleanField(default=False)),
                    ('size', models.PositiveIntegerField(db_default=0, default=0)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='annotation.batch')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'sha256'), name='collection_once')],
                },
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                    ('group_key', models.CharField(max_length=300)),
                    ('state', models.CharField(choices=[('accepted', 'Accepted'), ('submitted', 'Submitted'), ('returned', 'Returned'), ('expired', 'Expired')], default='accepted', max_length=9)),
                    ('counts', models.BooleanField(default=True)),
                    ('late', models.BooleanField(default=False)),
                    ('seed', models.BigIntegerField(default=annotation.models.assignment.random_seed)),
                    ('instructions_version', models.PositiveIntegerField(default=0)),
                    ('accepted_at', models.DateTimeField(auto_now_add=True)),
                    ('lease_until', models.DateTimeField()),
                    ('extended', models.BooleanField(default=False)),
                    ('submitted_at', models.DateTimeField(blank=True, null=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('active_seconds', models.FloatField(default=0)),
                    ('draft', annotation.models.fields.JSONTextField(blank=True, null=True)),
                    ('draft_version', models.PositiveIntegerField(default=0)),
                    ('draft_saved_at', models.DateTimeField(blank=True, null=True)),
                    ('revision', models.PositiveIntegerField(default=0)),
                    ('grade', models.FloatField(blank=True, null=True)),
                    ('approval', models.CharField(blank=True, choices=[('approved', 'Approved'), ('rejected', 'Rejected')], max_length=8)),
                    ('approved_at', models.DateTimeField(blank=True, null=True)),
                    ('rejected_at', models.DateTimeField(blank=True, null=True)),
                    ('auto_approve_at', models.DateTimeField(blank=True, null=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.batch')),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.hit')),
                    ('response_import', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.responseimport')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.worker')),
                    ('ticket', models.PositiveBigIntegerField(null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['worker', 'group_key'], name='assignment_met'), models.Index(condition=models.Q(('state', 'accepted')), fields=['lease_until'], name='assignment_leases'), models.Index(condition=models.Q(('state', 'accepted')), fields=['worker', 'batch'], name='assignment_under_way'), models.Index(condition=models.Q(('state', 'submitted')), fields=['worker', 'batch', 'submitted_at'], name='assignment_of_worker'), models.Index(fields=['batch', 'submitted_at'], name='assignment_by_time'), models.Index(condition=models.Q(('approval', ''), ('auto_approve_at__isnull', False), ('state', 'submitted')), fields=['auto_approve_at'], name='assignment_to_approve'), models.Index(fields=['worker', 'accepted_at'], name='assignment_latest'), models.Index(condition=models.Q(('state__in', ['returned', 'expired'])), fields=['worker', 'ended_at'], name='assignment_ended')],
                    'constraints': [models.UniqueConstraint(fields=('hit', 'worker'), name='assignment_once_per_worker'), models.CheckConstraint(condition=models.Q(('state__in', ['accepted', 'returned', 'expired', 'submitted'])), name='assignment_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('revision__gte', 1), ('state', 'submitted'), ('submitted_at__isnull', False)), models.Q(models.Q(('state', 'submitted'), _negated=True), ('revision', 0), ('submitted_at__isnull', True)), _connector='OR'), name='assignment_answer_when_submitted'), models.CheckConstraint(condition=models.Q(models.Q(('counts', True), ('state', 'accepted')), ('state', 'submitted'), models.Q(('counts', False), ('state__in', ['returned', 'expired'])), _connector='OR'), name='assignment_counts_while_alive'), models.CheckConstraint(condition=models.Q(('approval', ''), models.Q(('approval', 'approved'), ('approved_at__isnull', False), ('state', 'submitted')), models.Q(('approval', 'rejected'), ('rejected_at__isnull', False), ('state', 'submitted')), _connector='OR'), name='assignment_approval_known')],
                },
            ),
            migrations.CreateModel(
                name='Approval',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('decision', models.CharField(choices=[('approved', 'Approved'), ('rejected', 'Rejected')], max_length=8)),
                    ('text', models.TextField(blank=True)),
                    ('source', models.CharField(max_length=10)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='approvals', to='annotation.assignment')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('decision__in', ['approved', 'rejected'])), name='approval_decision_known')],
                },
            ),
            migrations.CreateModel(
                name='ProblemReport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(max_length=40)),
                    ('text', models.TextField(blank=True)),
                    ('state', models.CharField(choices=[('open', 'Open'), ('kept', 'Kept'), ('excluded', 'Excluded')], default='open', max_length=8)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='problem_reports', to='annotation.assignment')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'kept', 'excluded'])), name='flag_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='flag_decided_when_closed')],
                },
            ),
            migrations.CreateModel(
                name='Review',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision', models.PositiveIntegerField()),
                    ('decision', models.CharField(choices=[('accepted', 'accepted'), ('edited', 'accepted with an edit'), ('returned', 'changes requested'), ('discarded', 'excluded'), ('reopened', 'undone')], max_length=9)),
                    ('marks', annotation.models.fields.JSONTextField(default=dict)),
                    ('text', models.TextField(blank=True)),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.assignment')),
                    ('reviewer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('decision__in', ['accepted', 'edited', 'returned', 'discarded', 'reopened'])), name='review_decision_known'), models.CheckConstraint(condition=models.Q(('decision', 'edited'), ('text', ''), _negated=True), name='review_edit_has_text'), models.CheckConstraint(condition=models.Q(('decision__in', ['returned', 'discarded']), ('reason', ''), _negated=True), name='review_refusal_has_reason')],
                },
            ),
            migrations.CreateModel(
                name='ReviewSample',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('seed', models.BigIntegerField()),
                    ('size', models.PositiveIntegerField(verbose_name='responses per worker')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_samples', to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('worker', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'number'), name='draw_number_once'), models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='draw_takes_some')],
                },
            ),
            migrations.CreateModel(
                name='SampledAssignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='sampled', to='annotation.assignment')),
                    ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.reviewsample')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('sample', 'position'), name='drawn_position_once')],
                },
            ),
            migrations.CreateModel(
                name='ReservedHit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('taken_at', models.DateTimeField(blank=True, null=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reservations', to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reservations', to='annotation.hit')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reservations', to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('taken_at__isnull', True)), fields=['batch', 'worker'], name='given_waiting')],
                    'constraints': [models.UniqueConstraint(fields=('hit', 'worker'), name='given_once')],
                },
            ),
            migrations.CreateModel(
                name='QualificationRequest',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=64, unique=True)),
                    ('state', models.CharField(choices=[('testing', 'taking the test'), ('pending', 'waiting'), ('granted', 'granted'), ('rejected', 'rejected')], default='pending', max_length=8)),
                    ('test', models.TextField(blank=True)),
                    ('answer', models.TextField(blank=True)),
                    ('value', models.IntegerField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, max_length=1000)),
                    ('started_at', models.DateTimeField(auto_now_add=True)),
                    ('submitted_at', models.DateTimeField(blank=True, null=True)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='annotation.qualificationtype')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualification_requests', to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['testing', 'pending'])), fields=('type', 'worker'), name='qualification_request_one_open'), models.CheckConstraint(condition=models.Q(('state__in', ['testing', 'pending', 'granted', 'rejected'])), name='qualification_request_state_known')],
                },
            ),
            migrations.CreateModel(
                name='PayoutLine',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('amount', models.DecimalField(decimal_places=2, max_digits=14)),
                    ('state', models.CharField(choices=[('open', 'to be paid'), ('paid', 'paid'), ('failed', 'failed (still owed)')], default='open', max_length=6)),
                    ('reference', models.CharField(blank=True, max_length=200)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('payout', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='annotation.payout')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payout_lines', to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('payout', 'worker'), name='payout_line_once'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payout_line_pays'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'paid', 'failed'])), name='payout_line_state_known')],
                },
            ),
            migrations.CreateModel(
                name='Payment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('reward', 'reward'), ('bonus', 'bonus'), ('top_up', 'top-up to the wage floor')], max_length=6)),
                    ('amount', models.DecimalField(decimal_places=2, max_digits=14)),
                    ('fee', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=14)),
                    ('reason', models.CharField(blank=True, max_length=2000)),
                    ('key', models.CharField(max_length=64)),
                    ('state', models.CharField(choices=[('due', 'to be sent'), ('sending', 'being sent'), ('paid', 'paid'), ('failed', 'failed')], default='due', max_length=7)),
                    ('tries', models.PositiveIntegerField(default=0)),
                    ('first_try_at', models.DateTimeField(blank=True, null=True)),
                    ('last_try_at', models.DateTimeField(blank=True, null=True)),
                    ('missed_at', models.DateTimeField(blank=True, null=True)),
                    ('due_at', models.DateTimeField(blank=True, null=True)),
                    ('lease_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                    ('paid_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='annotation.assignment')),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payments', to='annotation.project')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state__in', ['due', 'sending'])), fields=['due_at'], name='payment_unsettled'), models.Index(fields=['project', '-created_at'], name='payment_by_time')],
                    'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='payment_once'), models.UniqueConstraint(condition=models.Q(('kind', 'reward')), fields=('assignment',), name='payment_one_reward'), models.CheckConstraint(condition=models.Q(('amount__gte', 0), ('fee__gte', 0)), name='payment_not_negative'), models.CheckConstraint(condition=models.Q(('state__in', ['due', 'sending', 'paid', 'failed'])), name='payment_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('paid_at__isnull', False), ('state', 'paid')), models.Q(models.Q(('state', 'paid'), _negated=True), ('paid_at__isnull', True)), _connector='OR'), name='payment_paid_at_a_time')],
                },
            ),
            migrations.CreateModel(
                name='Participation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('cursor', models.BigIntegerField(default=-1)),
                    ('last_group', models.CharField(blank=True, max_length=300)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('worked_at', models.DateTimeField(blank=True, null=True)),
                    ('instructions_version', models.PositiveIntegerField(default=0)),
                    ('practised', models.PositiveIntegerField(default=0)),
                    ('paused_at', models.DateTimeField(blank=True, null=True)),
                    ('checked_from', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='annotation.batch')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(fields=['batch', 'worked_at', 'worker', 'done'], name='seat_progress')],
                    'constraints': [models.UniqueConstraint(fields=('batch', 'worker'), name='seat_once')],
                },
            ),
            migrations.CreateModel(
                name='Message',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('subject', models.CharField(blank=True, max_length=200)),
                    ('text', models.TextField(max_length=4096)),
                    ('from_worker', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('read_at', models.DateTimeField(blank=True, null=True)),
                    ('lease_until', models.DateTimeField(blank=True, null=True)),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.assignment')),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(fields=['worker', '-created_at'], name='message_by_time')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='message_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Feedback',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField(verbose_name='feedback')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='feedback', to='annotation.assignment')),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='feedback', to='annotation.batch')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='feedback', to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('acknowledged_at__isnull', True)), fields=['worker'], name='feedback_waiting')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='feedback_says_something')],
                },
            ),
            migrations.CreateModel(
                name='Entry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('amount', models.DecimalField(decimal_places=2, max_digits=14)),
                    ('kind', models.CharField(max_length=20)),
                    ('key', models.CharField(max_length=120)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='annotation.assignment')),
                    ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outgoing', to='annotation.account')),
                    ('target', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='incoming', to='annotation.account')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='annotation.project')),
                    ('worker', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='annotation.worker')),
                ],
                options={
                    'indexes': [models.Index(fields=['project', '-created_at'], name='entry_by_time'), models.Index(condition=models.Q(('kind__in', ['deposit', 'withdrawal'])), fields=['project'], name='entry_in_and_out')],
                    'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='entry_once'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='entry_moves_something'), models.CheckConstraint(condition=models.Q(('source', models.F('target')), _negated=True), name='entry_between_two')],
                },
            ),
            migrations.CreateModel(
                name='Attempt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(default=1)),
                    ('hits', annotation.models.fields.JSONTextField(default=list)),
                    ('figures', annotation.models.fields.JSONTextField(default=dict)),
                    ('passed', models.BooleanField(blank=True, null=True)),
                    ('started_at', models.DateTimeField(auto_now_add=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='taken', to='annotation.qualificationround')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='annotation.worker')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'worker', 'number'), name='attempt_once')],
                },
            ),
            migrations.CreateModel(
                name='WorkerBlock',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.TextField()),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('worker', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='block', to='annotation.worker')),
                ],
            ),
            migrations.CreateModel(
                name='WorkerResponse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=64)),
                    ('digest', models.CharField(max_length=64)),
                    ('answer', annotation.models.fields.JSONTextField()),
                    ('active_seconds', models.FloatField(default=0)),
                    ('instructions_version', models.PositiveIntegerField(default=0)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='annotation.assignment')),
                    ('page_counts', annotation.models.fields.JSONTextField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('assignment', 'revision'), name='answer_revision_once'), models.UniqueConstraint(fields=('assignment', 'key'), name='answer_key_once'), models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='answer_revision_from_one')],
                },
            ),
            migrations.CreateModel(
                name='PrefetchedHit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('public_id', models.CharField(default=annotation.models.project.mturk_id, max_length=32, unique=True)),
                    ('seed', models.BigIntegerField(default=annotation.models.assignment.random_seed)),
                    ('expires_at', models.DateTimeField(db_index=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prefetched_hits', to='annotation.batch')),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prefetched', to='annotation.hit')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prefetched_hits', to='annotation.worker')),
                    ('cursor', models.BigIntegerField(db_default=-1, default=-1)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'worker'), name='prefetched_once')],
                },
            ),
            migrations.CreateModel(
                name='Adjudication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='annotation.hit')),
                    ('adjudicator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('decision', models.CharField(choices=[('accepted', 'accepted'), ('edited', 'accepted with an edit'), ('excluded', 'HIT excluded')], max_length=8)),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='annotation.assignment')),
                    ('revision', models.PositiveIntegerField(default=0)),
                    ('text', models.TextField(blank=True)),
                    ('reason', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('cause', models.CharField(blank=True, db_default='', default='', max_length=20)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('hit', 'adjudicator'), name='adjudicated_once_each'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', True), ('decision', 'excluded'), ('text', ''), models.Q(('reason', ''), _negated=True)), models.Q(('assignment__isnull', False), ('decision', 'accepted'), ('reason', ''), ('text', '')), models.Q(('assignment__isnull', False), ('decision', 'edited'), ('reason', ''), models.Q(('text', ''), _negated=True)), _connector='OR'), name='adjudication_is_whole')],
                },
            ),
            migrations.CreateModel(
                name='Comment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='annotation.project')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='annotation.item')),
                    ('hit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='annotation.hit')),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='annotation.assignment')),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('text', models.TextField(max_length=2000)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='comment_says_something'), models.CheckConstraint(condition=models.Q(('assignment__isnull', True), ('hit__isnull', False), _connector='OR'), name='comment_on_response_has_hit')],
                    'indexes': [models.Index(fields=['project', 'id'], name='comment_in_order')],
                },
            ),
            migrations.CreateModel(
                name='BatchFigure',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=40)),
                    ('value', annotation.models.fields.JSONTextField()),
                    ('counted_at', models.DateTimeField()),
                    ('due_at', models.DateTimeField()),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='annotation.batch')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'name'), name='figure_once')],
                },
            ),
            migrations.CreateModel(
                name='Preregistration',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('document', models.TextField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='preregistration', to='annotation.batch')),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='GroupPart',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('group_key', models.CharField(max_length=300)),
                    ('part_key', models.CharField(max_length=300)),
                    ('root', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='group_parts', to='annotation.dataset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('group_key', 'part_key'), name='group_part_once')],
                    'indexes': [models.Index(fields=['part_key'], name='group_part_by_part')],
                },
            ),
            migrations.CreateModel(
                name='Experiment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=100, verbose_name='name')),
                    ('title', models.CharField(max_length=200, verbose_name='title shown to workers')),
                    ('each', models.CharField(choices=[('one', 'one arm, drawn at random'), ('order', 'all arms, one after the other in a drawn order')], default='one', max_length=5, verbose_name='each worker gets')),
                    ('token', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='experiments', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='experiment_name_once')],
                },
            ),
            migrations.CreateModel(
                name='ArmDraw',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('order', annotation.models.fields.JSONTextField()),
                    ('seed', models.BigIntegerField(default=annotation.models.assignment.random_seed)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('arm', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drawn', to='annotation.batch')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='arm_draws', to='annotation.worker')),
                    ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='draws', to='annotation.experiment')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('experiment', 'worker'), name='arm_drawn_once')],
                },
            ),
            migrations.CreateModel(
                name='UserSession',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('browser', models.CharField(max_length=100)),
                    ('created_at', models.DateTimeField()),
                    ('seen_at', models.DateTimeField()),
                    ('session', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='of_user', to='sessions.session')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='BatchModel',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='models', to='annotation.batch')),
                    ('asked', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('batch', 'name'), name='batch_model_once')],
                },
            ),
            migrations.CreateModel(
                name='ModelPrediction',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('run', models.PositiveIntegerField(default=1)),
                    ('answer', annotation.models.fields.JSONTextField()),
                    ('confidence', models.FloatField(null=True)),
                    ('cost', models.DecimalField(decimal_places=8, max_digits=14, null=True)),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_predictions', to='annotation.item')),
                    ('model', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='predictions', to='annotation.batchmodel')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('model', 'item', 'run'), name='model_prediction_once'), models.CheckConstraint(condition=models.Q(('run__gte', 1)), name='model_prediction_run_from_one'), models.CheckConstraint(condition=models.Q(('confidence__isnull', True), models.Q(('confidence__gte', 0), ('confidence__lte', 1)), _connector='OR'), name='model_prediction_confidence_share'), models.CheckConstraint(condition=models.Q(('cost__isnull', True), ('cost__gte', 0), _connector='OR'), name='model_prediction_cost_not_negative')],
                },
            ),
        ),
        migrations.RunPython(create_triggers, drop_triggers),
        AddTrigramIndex('item', 'question', name='item_by_text'),
        CompressWithLz4('item', 'content'),
        CompressWithLz4('hit', 'payload'),
        CompressWithLz4('workerresponse', 'answer'),
    ]
