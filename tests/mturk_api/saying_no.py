"""How tests look at an error of the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError


def refused(call: Callable[..., Any], *, code: str = "", **members: Any) -> str:
    """The message with which the call was refused; `code` is the TurkErrorCode of a RequestError."""
    with pytest.raises(ClientError) as error:
        call(**members)
    told = error.value.response
    assert told["ResponseMetadata"]["HTTPStatusCode"] == 400
    if code:
        assert told["Error"]["Code"] == "RequestError"
        assert told["TurkErrorCode"] == f"AWS.MechanicalTurk.{code}"
    return str(told["Error"]["Message"])
