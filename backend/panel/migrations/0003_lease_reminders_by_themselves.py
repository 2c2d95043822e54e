import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("panel", "0002_remind_before_lease_ends"),
    ]

    operations = [
        migrations.AddField(
            model_name="letter",
            name="before_lease_ends",
            field=models.BooleanField(
                default=False,
                help_text="A reminder before poems go back; it is none of those at most.",
            ),
        ),
        migrations.AlterField(
            model_name="panelrules",
            name="remind_after_days",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Empty: silence alone is no reason to remind anybody.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(365),
                ],
            ),
        ),
        migrations.AlterField(
            model_name="panelrules",
            name="reminders_at_most",
            field=models.PositiveSmallIntegerField(
                default=2,
                help_text="For each expert, those you send yourself among them, but not those before poems go back.",
                validators=[django.core.validators.MaxValueValidator(10)],
            ),
        ),
    ]
