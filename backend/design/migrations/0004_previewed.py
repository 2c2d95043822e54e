"""Whether somebody looked at what judges will see."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("design", "0003_freeze_and_unsealing")]

    operations = [
        migrations.AddField(
            model_name="design",
            name="previewed_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When somebody first looked at what judges will see.",
                null=True,
            ),
        ),
    ]
