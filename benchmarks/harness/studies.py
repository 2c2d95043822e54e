"""Open studies for benchmarks: ten authors, as many briefs as that makes, experts who agreed."""

from benchmarks.harness.loading import Asker, Site

AUTHORS = 10
LINES = 14
LIKERT = (
    "form", "theme", "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance",
    "imagery", "literary_devices", "quality", "human_authorship",
)  # fmt: skip
# A full judgment by POEMetric's survey.
ANSWERS = {**dict.fromkeys(LIKERT, "4"), "quality_comment": "The turn comes a line too early."}
_MAKE = """
from django.db import connection

from annotation.studies import links
from annotation.studies.models import Item
from tests.annotation.panel import expert, open_study

study = open_study(items=0, judges_per_item={k}, batch=10)
study.slug, study.dealing, study.twins = f"bench-{{study.pk}}", "{dealing}", "{twins}"
study.save()
poem = "\\n".join(["When to the sessions of sweet silent thought"] * {lines})
Item.objects.bulk_create(
    (
        Item(
            study=study, text=poem, brief=f"Write poem {{n}}.", stratum=f"s{{n % {authors}}}",
            twin=f"t{{n // {authors}}}", form=f"f{{n // {authors} % 5}}", places={k},
        )
        for n in range({items})
    ),
    batch_size=2000,
)
# As the database does by itself soon after so many new rows.
connection.cursor().execute("ANALYZE")
print(*[links.link_for(expert(study)).secret for _ in range({experts})])
"""
_COUNT = """
from collections import Counter
from annotation.judgments.models import Judgment
from annotation.studies.models import Assignment, Study

study = Study.objects.latest("pk")
held = Assignment.objects.holding().filter(item__study=study)
most = max(Counter(held.values_list("item_id", flat=True)).values(), default=0)
print(most, Judgment.objects.filter(assignment__judge__study=study).count())
"""


def make(
    found: Site,
    *,
    items: int,
    k: int,
    experts: int,
    dealing: str = "batch",
    twins: str = "never",
) -> list[Asker]:
    """Open a study and return its experts."""
    script = _MAKE.format(
        items=items, k=k, experts=experts, dealing=dealing, twins=twins,
        authors=AUTHORS, lines=LINES,
    )  # fmt: skip
    return [Asker(secret) for secret in found.shell(script)]


def check(found: Site, *, k: int, acknowledged: int) -> None:
    """Count the newest study's ledger; stop if an item has too many judges or an answer is gone."""
    most, stored = (int(word) for word in found.shell(_COUNT))
    print(
        f"  most places held on one item: {most} of {k}; "
        f"answers acknowledged: {acknowledged}, stored: {stored}"
    )
    if most > k or stored != acknowledged:
        raise SystemExit("the ledger is wrong")
