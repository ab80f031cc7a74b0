"""Notification settings of a HIT type, and test events."""

from annotation.mturk_api import rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value, operation
from annotation.mturk_api.flow import notification_events
from annotation.mturk_api.models import NotificationSetting
from annotation.pure.mturk.notification_events import BadDestination


@operation("UpdateNotificationSettings")
def update_notification_settings(caller: Caller, request: JSON) -> JSON:
    """Set the destination of events, whether they are sent, or both."""
    hit_type = rows.hit_type(caller, request["HITTypeId"])
    if not {"Notification", "Active"} & request.keys():
        raise invalid_value("Either Notification or Active must be specified.")
    wanted = _specified(caller, request["Notification"]) if "Notification" in request else None
    notification_events.change(hit_type, wanted=wanted, active=request.get("Active"))
    return {}


@operation("SendTestEventNotification")
def send_test_event_notification(caller: Caller, request: JSON) -> JSON:
    """Send a test event of that kind, whether or not the specification lists it."""
    notification_events.test(
        caller.project, _specified(caller, request["Notification"], test=True), request["TestEventType"]
    )
    return {}


def _specified(caller: Caller, specification: JSON, *, test: bool = False) -> NotificationSetting:
    try:
        return notification_events.specify(
            destination=specification["Destination"],
            transport=specification["Transport"],
            version=specification["Version"],
            kinds=specification["EventTypes"],
            key=caller.key,
            test=test,
        )
    except BadDestination as bad:
        raise RequestError(
            f"The notification specification is invalid: {bad}.", code="InvalidTransportEndpoint"
        ) from None
