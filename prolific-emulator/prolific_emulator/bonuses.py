"""Bonuses of the emulated API: prepared once, and paid at every call."""

from decimal import Decimal, InvalidOperation

from prolific_emulator.routing import Call, Reply, operation
from prolific_emulator.submissions import act_on_time
from prolific_emulator.world import FEE, BulkBonus, Problem

MOST_ROWS = 200


@operation("POST", "/api/v1/submissions/bonus-payments/")
def prepare(call: Call) -> Reply:
    study, text = call.required("study_id", "csv_bonuses")
    call.world.find("study", study)
    lines = [line for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_ROWS:
        raise Problem(400, f"Give 1 to {MOST_ROWS} bonuses.")
    rows = [_row(call, study, line) for line in lines]
    bonus = BulkBonus(call.world.new_id(), study, rows)
    call.world.bonuses[bonus.id] = bonus
    amount = sum(cents for _who, cents in rows)
    fees = round(amount * FEE)
    total = {"amount": amount, "fees": fees, "vat": 0, "total_amount": amount + fees}
    return Reply(201, {"id": bonus.id, "study": study, **total})


def _row(call: Call, study: str, line: str) -> tuple[str, int]:
    name, _comma, amount = line.partition(",")
    theirs = [one for one in call.world.of_study(study) if name.strip() in {one.id, one.participant}]
    if not theirs:
        raise Problem(400, {"csv_bonuses": [f"{name} has not taken part in the study."]})
    try:
        cents = Decimal(amount.strip()) * 100
    except InvalidOperation:
        cents = Decimal(0)
    if cents <= 0 or cents != cents.to_integral_value():
        raise Problem(400, {"csv_bonuses": [f"{amount} is not an amount."]})
    return theirs[-1].id, int(cents)


@operation("POST", "/api/v1/bulk-bonus-payments/{id}/pay/")
def pay(call: Call) -> Reply:
    """Pay, asynchronously, and again at each call, as theirs does."""
    world, bonus = call.world, call.named("bonus payment")
    if world.spent() + sum(cents for _who, cents in bonus.rows) * (1 + FEE) > world.funds:
        raise Problem(400, "You do not have enough funds to pay these bonuses.", code=140_201)
    bonus.calls += 1
    world.delayed += [(world.now() + world.bonus_delay, "bonus", row) for row in bonus.rows]
    act_on_time(world)
    return Reply(202, "The bonuses will be paid in the next minutes.")
