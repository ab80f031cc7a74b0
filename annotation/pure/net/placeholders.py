"""Values in links that the sender forgot to fill in, such as `{{%PROLIFIC_PID%}}` or `undefined`."""

import re
from typing import Final

# What marks a place to fill in: {pid} ${pid} %pid% [[pid]] <pid> #pid#
MARKS: Final = re.compile(r"[{}<>\[\]%#$|]")
WORDS: Final = {
    "undefined", "null", "none", "nan", "nil", "true", "false", "object", "test", "testing", "example", "sample",
    "placeholder", "unknown", "anonymous", "id", "pid", "sid", "uid", "participant", "participantid", "prolificpid",
    "prolificid", "sessionid", "session", "submission", "submissionid", "studyid", "workerid", "assignmentid",
    "userid", "subjectid", "respondent", "respondentid", "yourid", "insertid", "assignmentidnotavailable",
}  # fmt: skip


def is_placeholder(value: str) -> bool:
    """Whether a value is none, but the mark or word of a template, or of somebody who tries the link."""
    word = re.sub(r"[\W_]+", "", value).casefold()
    return bool(MARKS.search(value)) or word in WORDS or re.fullmatch(r"(test\d*|x+|0|)", word) is not None
