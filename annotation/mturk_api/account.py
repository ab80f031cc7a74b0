"""The requester's account: its balance."""

from __future__ import annotations

from annotation.flow import ledger
from annotation.mturk_api.registry import JSON, Caller, operation


@operation("GetAccountBalance")
def get_account_balance(caller: Caller, request: JSON) -> JSON:
    """What the project's budget has left; what is set aside for HITs is not in it."""
    return {"AvailableBalance": ledger.balance(caller.project, ledger.AVAILABLE)}
