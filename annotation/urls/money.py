"""URLs: budget, ledger, payments and payouts."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import BATCH, PROJECT
from annotation.views.batches import launch
from annotation.views.money import money, payouts

MONEY = f"{PROJECT}money/"

pages: list[URLPattern] = [
    path(MONEY, money.money, name="money"),
    path(f"{MONEY}move/", money.money_move, name="money-move"),
    path(f"{MONEY}floor/", money.money_floor, name="money-floor"),
    path(f"{MONEY}ledger/", money.money_ledger, name="money-ledger"),
    path(f"{MONEY}ledger/file/", money.ledger_file, name="ledger-file"),
    path(f"{MONEY}payouts/new/", payouts.payout_new, name="payout-new"),
    path(f"{MONEY}payouts/read/", payouts.payout_read, name="payout-read"),
    path(f"{MONEY}payouts/<int:number>/", payouts.payout, name="payout"),
    path(f"{MONEY}payouts/<int:number>/file/", payouts.payout_file, name="payout-file"),
    path(f"{MONEY}payouts/lines/<int:pk>/", payouts.payout_line, name="payout-line"),
    path(f"{BATCH}quote/", launch.batch_quote, name="batch-quote"),
    path(f"{BATCH}floor/", money.batch_floor, name="batch-floor"),
]
