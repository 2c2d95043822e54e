"""What the API is sent of a study that is to be built."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation.studies.models import Study
from backend.api.describing import identifier
from backend.design.plan_rows import BETWEEN, ROWS, WRONG_TEXTS, listed

MOST = 2**31 - 1
# What the builder's page calls a part of a row -> what it is called here.
PARTS = {
    "group": {"name": "name", "judges": "judges_per_item", "forms": "forms",
              "languages": "languages"},
    "attention": {"text": "text", "answers": "expected"},
}  # fmt: skip
LISTS = {"group": "groups", "attention": "attention"}
# What the page says of the line between two texts, in the words of a field of its own.
OF_SECOND = {
    WRONG_TEXTS[True]: "This instrument compares two texts: send the second, too.",
    WRONG_TEXTS[False]: "This instrument shows one text at a time: leave the second out.",
}


class GroupPlanSerializer(serializers.Serializer[Any]):
    """Items that a panel of their own judges: of these forms and languages; none named is any."""

    name = serializers.CharField(max_length=60)
    judges_per_item = serializers.IntegerField(min_value=1, max_value=100, required=False)
    forms = serializers.ListField(child=serializers.CharField(), required=False)
    languages = serializers.ListField(child=serializers.CharField(), required=False)


class AttentionPlanSerializer(serializers.Serializer[Any]):
    """An item that tests attention, and what an attentive judge answers."""

    text = serializers.CharField(max_length=5000, trim_whitespace=False)
    second = serializers.CharField(
        max_length=5000, trim_whitespace=False, required=False, allow_blank=True
    )
    expected = serializers.DictField(
        child=serializers.CharField(), help_text="Key of a question -> code of an answer."
    )


class NewStudySerializer(serializers.Serializer[Any]):
    """What a study is built from; what is left out is as the page has it at first."""

    title = serializers.CharField(max_length=120)
    contact = serializers.CharField(max_length=200)
    instrument = serializers.CharField(required=False, help_text="Key of an instrument.")
    collection = identifier(help_text="Whose poems are the human ones.")
    poems = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, allow_null=True,
        help_text="How many of them, drawn by the seed. None: all.",
    )  # fmt: skip
    runs = serializers.ListField(child=identifier(), required=False)
    models = serializers.ListField(child=identifier(), required=False)
    judges_per_item = serializers.IntegerField(min_value=1, max_value=100, required=False)
    batch_size = serializers.IntegerField(min_value=1, max_value=500, required=False)
    groups = serializers.ListField(child=GroupPlanSerializer(), max_length=ROWS, required=False)
    dealing = serializers.ChoiceField(choices=Study.Dealing.values, required=False)
    twins = serializers.ChoiceField(choices=Study.Twins.values, required=False)
    apart = serializers.IntegerField(min_value=1, max_value=100, required=False)
    lease_days = serializers.IntegerField(min_value=1, max_value=365, required=False)
    late = serializers.ChoiceField(choices=Study.Late.values, required=False)
    repeats = serializers.IntegerField(min_value=0, max_value=50, required=False)
    repeat_after_days = serializers.IntegerField(min_value=1, max_value=365, required=False)
    attention_every = serializers.IntegerField(min_value=0, max_value=500, required=False)
    attention = serializers.ListField(
        child=AttentionPlanSerializer(), max_length=ROWS, required=False
    )
    steps = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Of the display normalisation."
    )
    analysis_plan = serializers.CharField(
        required=False, allow_blank=True, max_length=20_000, trim_whitespace=False
    )
    margin = serializers.FloatField(
        min_value=0.001, max_value=0.25, required=False, allow_null=True,
        help_text="How far from 0.5 an AUC may lie and still count as equivalent to chance.",
    )  # fmt: skip
    recognised = serializers.IntegerField(
        min_value=0, max_value=MOST, required=False, allow_null=True
    )
    seconds_per_line = serializers.FloatField(
        min_value=0.01, max_value=600, required=False, allow_null=True
    )
    failed_attention = serializers.IntegerField(
        min_value=1, max_value=100, required=False, allow_null=True
    )
    interim_looks = serializers.BooleanField(required=False)
    unsealing_needs = serializers.ChoiceField(choices=[1, 2], required=False)
    surface_limit = serializers.FloatField(min_value=0.5, max_value=1, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False)
    shows_titles = serializers.BooleanField(required=False)
    consent = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    consent_zh = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    promise = serializers.CharField(required=False, allow_blank=True, max_length=300)
    honorarium = serializers.CharField(required=False, allow_blank=True, max_length=200)
    asks_background = serializers.BooleanField(required=False)
    debriefs = serializers.BooleanField(required=False)

    def as_filled_in(self) -> dict[str, Any]:
        """Return the plan as the builder's page names its fields: groups and tests in rows."""
        given = dict(self.validated_data)
        for row, group in enumerate(given.pop("groups", []), 1):
            given |= {
                f"group_{row}_name": group["name"],
                f"group_{row}_judges": group.get("judges_per_item"),
                f"group_{row}_forms": listed(group.get("forms", [])),
                f"group_{row}_languages": listed(group.get("languages", [])),
            }
        for row, test in enumerate(given.pop("attention", []), 1):
            texts = [test["text"], *filter(None, [test.get("second")])]
            given |= {
                f"attention_{row}_text": f"\n{BETWEEN}\n".join(texts),
                f"attention_{row}_answers": "\n".join(
                    f"{key}: {answer}" for key, answer in test["expected"].items()
                ),
            }
        return given

    def as_sent(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is wrong with the page's fields under the names that were sent."""
        told: dict[str, Any] = {}
        for name, texts in said.items():
            match name.split("_"):
                case ["group" | "attention" as kind, number, part] if part in PARTS[kind]:
                    rows = told.setdefault(LISTS[kind], {})
                    row = rows.setdefault(int(number) - 1, {})
                    for text in texts:
                        at, words = self._in_row(kind, int(number) - 1, part, text)
                        row.setdefault(at, []).append(words)
                case _:
                    told[name] = texts
        return told

    def _in_row(self, kind: str, row: int, part: str, text: str) -> tuple[str, str]:
        """Return the field of a row that something was said of, and what is said of it here."""
        if text not in OF_SECOND:
            return PARTS[kind][part], text
        second = self.validated_data["attention"][row].get("second")
        # Without a second text, the line that parts two stands in the first.
        alone = text == WRONG_TEXTS[False] and not second
        return ("text", text) if alone else ("second", OF_SECOND[text])
