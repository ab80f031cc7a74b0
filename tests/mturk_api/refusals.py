"""How tests look at an error of the MTurk API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError


def refused(call: Callable[..., Any], *, code: str = "", **members: Any) -> str:
    """The message with which the call was refused; `code` is the TurkErrorCode of a RequestError."""
    with pytest.raises(ClientError) as error:
        call(**members)
    result = error.value.response
    assert result["ResponseMetadata"]["HTTPStatusCode"] == 400
    if code:
        assert result["Error"]["Code"] == "RequestError"
        assert result["TurkErrorCode"] == f"AWS.MechanicalTurk.{code}"
    return str(result["Error"]["Message"])
