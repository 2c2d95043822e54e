from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("hooks", "0001_hooks")]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="emptied",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RemoveConstraint(model_name="delivery", name="told_complete_once"),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                condition=Q(event="study.complete"),
                fields=("hook", "places", "emptied"),
                name="told_complete_once",
            ),
        ),
    ]
