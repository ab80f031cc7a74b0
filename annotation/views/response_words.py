"""What a response says, for lists."""

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.pure.ratings.rubric import BEST, ORDER
from annotation.tasktype import JSON, Rated, TaskType, capabilities
from annotation.tasktype.decisions import label_of
from annotation.tasktype.helpers.answer_wording import NO_ANSWER
from annotation.tasktype.helpers.decision_task import DecisionTask


def with_words(payload: JSON) -> JSON:
    """The payload with the reader's word for a tie, for the task's `brief`."""
    return payload | {"tie": _("Equally good")}


def words_of(task: TaskType, payload: JSON, answer: JSON, *, to_worker: bool = False) -> str:
    """A response in a few words: the worker's own, or what they chose in the reader's language.

    Workers do not learn which candidate has which name.
    """
    if to_worker and isinstance(task, Rated):
        payload = payload | {"language": get_language()}
        payload |= {"criteria": [one for one in payload["criteria"] if one["kind"] not in (BEST, ORDER)]}
    labels, text = capabilities.labels(task), task.brief(with_words(payload), answer)
    words = {NO_ANSWER: NO_ANSWER, **{name: labels[name].words for name in [label_of(labels, answer)] if name}}
    if isinstance(task, DecisionTask):
        words |= {str(one.stored): one.words for each in task.decisions(payload) for one in each.choices}
    parts = text.split(", ")
    return ", ".join(_(words[part]) for part in parts) if words.keys() >= set(parts) else text
