"""A panel known only by its links: names of its URL's parameters, and where participants go back to.

Options of the connection: `participant` and `submission` (names of parameters; without a second one a participant
comes once), `return` (a URL with {code}, {participant} and {submission}), and `return_no_consent` etc. for one outcome.
"""

from collections.abc import Mapping
from urllib.parse import quote

from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.base import Endpoint
from annotation.marketplaces.study_base import Outcome, StudyMarketplace, Ticket

PARTICIPANT = "participant"


class Link(StudyMarketplace):
    """It can be asked and told nothing: studies and decisions are kept here, and people are paid from a list."""

    label = _("a panel with a link and a code")
    option_names = {
        PARTICIPANT: _("Parameter of the participant's id"),
        "submission": _("Parameter of the visit's id"),
        "return": _("Address to go back to"),
        **{f"return_{outcome}": outcome.value for outcome in Outcome},
    }

    def __init__(self, endpoint: Endpoint) -> None:
        self._options = dict(endpoint.options)

    def ticket(self, query: Mapping[str, str]) -> Ticket:
        participant = query.get(self._options.get("participant") or PARTICIPANT, "").strip()
        submission = query.get(self._options.get("submission") or "", "").strip()
        return Ticket(participant, submission or participant)

    def parameters(self) -> str:
        own = self._options
        names = {"participant": own.get("participant") or PARTICIPANT, "visit": own.get("submission")}
        return "&".join(f"{name}={{{what}}}" for what, name in names.items() if name)

    def return_url(self, outcome: str, code: str, ticket: Ticket) -> str:
        url = self._options.get(f"return_{outcome}") or self._options.get("return") or ""
        values = {"code": code, "participant": ticket.participant, "submission": ticket.submission}
        for name, value in values.items():
            url = url.replace(f"{{{name}}}", quote(value, safe=""))
        return url


MARKETPLACE = Link
