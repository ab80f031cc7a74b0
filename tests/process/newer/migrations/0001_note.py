from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "__first__")]
    operations = [
        migrations.CreateModel("Note", [("id", models.BigAutoField(primary_key=True)), ("text", models.TextField())]),
        migrations.RunSQL("UPDATE annotation_project SET title = 'upgraded'"),
    ]
