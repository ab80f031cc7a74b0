import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0022_second_factor'),
    ]

    operations = [
        migrations.RenameModel('Letter', 'Delivery'),
        migrations.AlterField(
            model_name='delivery',
            name='webhook',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='annotation.webhook'),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='event',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='annotation.webhookevent'),
        ),
        migrations.RenameIndex(model_name='delivery', new_name='delivery_due', old_name='letter_due'),
        migrations.RemoveConstraint(model_name='delivery', name='letter_once'),
        migrations.RemoveConstraint(model_name='delivery', name='letter_state_known'),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('webhook', 'event'), name='delivery_once'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['due', 'delivered', 'failed'])), name='delivery_state_known'),
        ),
    ]
