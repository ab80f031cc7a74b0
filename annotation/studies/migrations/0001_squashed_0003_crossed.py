import annotation.models.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [("studies", "0001_studies"), ("studies", "0003_crossed")]

    dependencies = [
        ('annotation', '0001_squashed_0025_asked_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='StudyRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60)),
                ('study', models.CharField(max_length=100)),
                ('text', models.TextField()),
                ('figures', models.TextField()),
                ('seed', models.BigIntegerField(default=0)),
                ('scale', models.FloatField(default=1.0)),
                ('files', annotation.models.fields.JSONTextField(default=dict)),
                ('small', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='study_runs', to='annotation.project')),
                ('analysis', annotation.models.fields.JSONTextField(blank=True, null=True)),
                ('analysed', models.CharField(blank=True, db_default='', default='', max_length=64)),
                ('crossed', annotation.models.fields.JSONTextField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='study_run_once')],
            },
        ),
    ]
