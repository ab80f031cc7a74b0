import annotation.models.fields
import annotation.models.project
import annotation.models.sealed
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The schema of release 0.1. Databases of previews have it after their last migration (CHANGELOG.md)."""

    initial = True
    replaces = [("webhooks", "0001_initial"), ("webhooks", "0003_labels")]

    dependencies = [
        ('annotation', '0001_squashed_0025_asked_models'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                ('url', models.CharField(max_length=300, verbose_name='address')),
                ('kinds', annotation.models.fields.JSONTextField(default=list)),
                ('note', models.CharField(blank=True, max_length=100, verbose_name='purpose')),
                ('secret', annotation.models.sealed.SealedField()),
                ('old_secret', annotation.models.sealed.SealedField(blank=True)),
                ('old_until', models.DateTimeField(blank=True, null=True)),
                ('active', models.BooleanField(default=True)),
                ('stopped_at', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('rests_until', models.DateTimeField(blank=True, null=True)),
                ('trouble', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='annotation.project')),
            ],
        ),
        migrations.CreateModel(
            name='WebhookEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotation.models.project.public_id, max_length=32, unique=True)),
                ('kind', models.CharField(max_length=10)),
                ('content', annotation.models.fields.JSONTextField()),
                ('spread', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhook_events', to='annotation.project')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('spread', False)), fields=['id'], name='webhook_event_new')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('due', 'waiting'), ('delivered', 'delivered'), ('failed', 'failed')], default='due', max_length=9)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('trouble', models.CharField(blank=True, max_length=300)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhookevent')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'due')), fields=['webhook', 'due_at'], name='delivery_due')],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'event'), name='delivery_once'), models.CheckConstraint(condition=models.Q(('state__in', ['due', 'delivered', 'failed'])), name='delivery_state_known')],
            },
        ),
    ]
