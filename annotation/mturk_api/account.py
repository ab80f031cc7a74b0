"""The requester's account: its balance."""

from __future__ import annotations

from annotation.flow.money import ledger
from annotation.mturk_api.registry import JSON, Caller, operation


@operation("GetAccountBalance")
def get_account_balance(caller: Caller, request: JSON) -> JSON:
    """The project's budget, without money set aside."""
    return {"AvailableBalance": ledger.balance(caller.project, ledger.AVAILABLE)}
