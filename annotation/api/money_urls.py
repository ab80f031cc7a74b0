"""The API's addresses of approvals and money."""

from django.urls import URLPattern, path

from annotation.api import approvals, money, payouts

PROJECT = "api/v1/projects/<slug:slug>/"
APPROVAL = f"{PROJECT}approvals/<slug:public_id>/"
PAYOUT = f"{PROJECT}payouts/<int:number>/"

pages: list[URLPattern] = [
    path(f"{PROJECT}approvals/", approvals.Approvals.as_view(), name="api-approvals"),
    path(f"{PROJECT}approvals/decide/", approvals.Decide.as_view(), name="api-approvals-decide"),
    path(APPROVAL, approvals.OneApproval.as_view(), name="api-approval"),
    path(f"{APPROVAL}approve/", approvals.Approve.as_view(), name="api-approval-approve"),
    path(f"{APPROVAL}reject/", approvals.Reject.as_view(), name="api-approval-reject"),
    path(f"{APPROVAL}bonus/", approvals.Bonus.as_view(), name="api-approval-bonus"),
    path(f"{APPROVAL}return/", approvals.Return.as_view(), name="api-approval-return"),
    path(f"{PROJECT}money/", money.Money.as_view(), name="api-money"),
    path(f"{PROJECT}payments/", money.Payments.as_view(), name="api-payments"),
    path(f"{PROJECT}ledger/", money.Ledger.as_view(), name="api-ledger"),
    path(f"{PROJECT}payouts/", payouts.Payouts.as_view(), name="api-payouts"),
    path(f"{PROJECT}payouts/reconcile/", payouts.Reconcile.as_view(), name="api-payouts-reconcile"),
    path(PAYOUT, payouts.OnePayout.as_view(), name="api-payout"),
    path(f"{PAYOUT}export/csv/", payouts.PayoutFile.as_view(), name="api-payout-file"),
    path(f"{PAYOUT}note/", payouts.Note.as_view(), name="api-payout-note"),
]
