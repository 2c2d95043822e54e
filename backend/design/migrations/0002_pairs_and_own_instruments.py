import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("design", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="placement",
            name="placement_is_human_or_machine",
        ),
        migrations.AddField(
            model_name="placement",
            name="human_second",
            field=models.BooleanField(
                default=False,
                help_text="Of two texts compared, the item's second is the human one.",
            ),
        ),
        migrations.AddConstraint(
            model_name="placement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("generation__isnull", True),
                        ("human_second", False),
                        ("poem__isnull", False),
                    ),
                    models.Q(
                        ("generation__isnull", False),
                        ("human_second", False),
                        ("poem__isnull", True),
                    ),
                    models.Q(("generation__isnull", False), ("poem__isnull", False)),
                    _connector="OR",
                ),
                name="placement_is_human_machine_or_both",
            ),
        ),
        migrations.CreateModel(
            name="OwnInstrument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField(max_length=59)),
                ("version", models.PositiveIntegerField()),
                ("data", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["key", "-version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("key", "version"), name="instrument_version_once"
                    )
                ],
            },
        ),
    ]
