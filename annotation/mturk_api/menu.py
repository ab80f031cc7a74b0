"""Links to the page of access keys."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.pure.people import roles

SETTINGS = [MenuEntry(roles.OWN, "access-keys", _("Access keys"), "api boto3 mturk")]
