"""The arms of back-decomposition: what of the decomposition a worker is given."""

from dataclasses import dataclass
from typing import ClassVar

from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop as _

FREE, GUIDED, SINGLE, INTEGRATE, KIND = "free", "guided", "single", "integrate", "kind"
ARMS = {
    FREE: _("nothing: workers write the sub-questions themselves"),
    GUIDED: _("the sub-questions one at a time, filled with the worker's own answers"),
    SINGLE: _("the question, then the sub-questions one at a time, filled with the right answers"),
    INTEGRATE: _("all sub-questions but the last, with their answers"),
    KIND: _("nothing: workers only say whether the question needs one step or several"),
}
STEPWISE = (GUIDED, SINGLE)


@dataclass(frozen=True, slots=True)
class HopsOptions:
    """The arm, the same for every item of a batch; and the controls of every page that asks for answers."""

    choices: ClassVar[bool] = False
    sentences: ClassVar[bool] = False

    arm: str = setting(FREE, label=_("Decomposition that workers see"), choices=ARMS)
    yes_no: bool = setting(False, label=_("Allow “yes” and “no” as answers"))

    @property
    def support(self) -> bool:
        """Whether workers tick paragraphs: only where nothing of the decomposition is given."""
        return self.arm == FREE
