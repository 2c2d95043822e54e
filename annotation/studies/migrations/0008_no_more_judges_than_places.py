from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0007_places_of_items")]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("attention", False), ("places_taken__lt", models.F("places"))),
                fields=["study", "stratum", "places_taken", "id"],
                name="items_that_want_judges",
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(("places_taken__lte", models.F("places"))),
                name="no_more_judges_than_places",
            ),
        ),
    ]
