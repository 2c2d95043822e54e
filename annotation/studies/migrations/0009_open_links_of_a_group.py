"""An open link can lead to the items of one group."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0008_no_more_judges_than_places")]

    operations = [
        migrations.AddField(
            model_name="openlink",
            name="group",
            field=models.ForeignKey(
                blank=True,
                help_text="Whose items those who come by it judge; empty: all of them.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="open_links",
                to="studies.group",
            ),
        ),
    ]
