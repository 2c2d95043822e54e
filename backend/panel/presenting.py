"""What the panel page shows."""

from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.studies.models import Judge, Study
from backend.panel.forms import InviteForm, MessageForm, OpenLinkForm, RosterForm, RulesForm
from backend.panel.models import Letter, PanelRules
from backend.panel.progress import seats
from backend.panel.reminding import with_something_left

LETTERS_SHOWN = 100


def overview(study: Study) -> dict[str, Any]:
    """Return all that the page of this panel needs, its forms not filled in."""
    now = timezone.now()
    rules = PanelRules.objects.filter(study=study).first()
    letters = Letter.objects.filter(judge__study=study).select_related("judge", "asked_by")
    return {
        "study": study,
        "grouped": study.groups.exists(),
        "now": now,
        "experts": seats(study, Judge.Kind.EXPERT),
        "machines": seats(study, Judge.Kind.MACHINE),
        "letters": letters[:LETTERS_SHOWN],
        "failed": letters.filter(status=Letter.Status.FAILED).count(),
        "remindable": len(with_something_left(study, now)),
        "open_links": study.open_links.all(),
        "sends_mail": settings.SENDS_MAIL,
        "invite_form": InviteForm(study=study, auto_id="invite_%s"),
        "roster_form": RosterForm(study=study, auto_id="many_%s"),
        "message_form": MessageForm(auto_id="message_%s"),
        "rules_form": RulesForm(instance=rules, auto_id="rules_%s"),
        "open_link_form": OpenLinkForm(study=study, auto_id="open_%s"),
    }
