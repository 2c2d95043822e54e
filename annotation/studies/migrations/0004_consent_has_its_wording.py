"""What every consent now has is required; the study's single text has gone to its own rows."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0003_keep_consent_wordings")]

    operations = [
        migrations.AlterField(
            model_name="consent",
            name="wording",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="consents",
                to="studies.consentwording",
            ),
        ),
        migrations.AlterField(
            model_name="consent",
            name="version",
            field=models.PositiveSmallIntegerField(),
        ),
        migrations.AlterField(
            model_name="consent",
            name="sha256",
            field=models.CharField(max_length=64),
        ),
        # A default, so that the way back is open, too.
        migrations.AlterField(
            model_name="study",
            name="consent_text",
            field=models.TextField(default=""),
        ),
        migrations.RemoveField(model_name="study", name="consent_text"),
    ]
