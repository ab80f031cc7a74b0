from django.db import migrations


class Migration(migrations.Migration):
    """Hand the tables of webhooks to the app `webhooks`, which takes them over as they are."""

    dependencies = [
        ("annotation", "0039_worker_id_per_project"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel("Delivery"),
                migrations.DeleteModel("WebhookEvent"),
                migrations.DeleteModel("Webhook"),
            ],
        ),
    ]
