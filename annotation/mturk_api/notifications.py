"""Notifications: where the events of a HIT type go, and a test of that."""

from __future__ import annotations

from annotation.flow import notifying
from annotation.models import NotificationSetting
from annotation.mturk_api import rows
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller, operation
from annotation.pure.events import BadDestination


@operation("UpdateNotificationSettings")
def update_notification_settings(caller: Caller, request: JSON) -> JSON:
    """Set where events go, or whether they are told, or both."""
    hit_type = rows.hit_type(caller, request["HITTypeId"])
    if not {"Notification", "Active"} & request.keys():
        raise WireError("Either Notification or Active must be specified.", code="InvalidParameterValue")
    wanted = _specified(caller, request["Notification"]) if "Notification" in request else None
    notifying.change(hit_type, wanted=wanted, active=request.get("Active"))
    return {}


@operation("SendTestEventNotification")
def send_test_event_notification(caller: Caller, request: JSON) -> JSON:
    """Send one event of the kind, whether or not the specification lists it."""
    notifying.test(caller.project, _specified(caller, request["Notification"], test=True), request["TestEventType"])
    return {}


def _specified(caller: Caller, told: JSON, *, test: bool = False) -> NotificationSetting:
    try:
        return notifying.specify(
            destination=told["Destination"],
            transport=told["Transport"],
            version=told["Version"],
            kinds=told["EventTypes"],
            key=caller.key,
            test=test,
        )
    except BadDestination as bad:
        raise WireError(f"The notification specification is invalid: {bad}.", code="InvalidTransportEndpoint") from None
