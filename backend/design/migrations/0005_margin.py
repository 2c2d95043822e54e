"""Within what distance of 0.5 an AUC is as good as chance, fixed before the key is unsealed."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("design", "0004_previewed")]

    operations = [
        migrations.AddField(
            model_name="design",
            name="margin",
            field=models.FloatField(
                blank=True,
                help_text="Within what distance of 0.5 an AUC is as good as chance; none: no AUC is.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="design",
            constraint=models.CheckConstraint(
                name="margin_is_above_0_and_at_most_a_quarter",
                condition=Q(margin=None) | Q(margin__gt=0, margin__lte=0.25),
            ),
        ),
    ]
