"""Two-factor authentication: a code of an authenticator, or one of the backup codes.

The key is encrypted and codes are stored as keyed hashes, so that a copy of the database is no use for signing in.
"""

import base64
import secrets
from datetime import timedelta
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django_otp.oath import TOTP

from annotation.flow.errors import Refused
from annotation.flow.people import sign_in
from annotation.models import BackupCode, Project, SecondFactor, User, clock
from annotation.models.sealed import Unsealable

KEY_BYTES = 20  # recommended by RFC 4226
CODES = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
CODE_LENGTH = 10  # 49 random bits
FREE_TRIES, FIRST_REST, LONGEST_REST = 10, timedelta(minutes=1), timedelta(hours=1)
TOLERANCE = 1  # steps of 30 s by which a phone's clock may be off
ISSUER = "Hopscribe"


def is_on(user: User) -> bool:
    """Whether this person needs a code to sign in."""
    return SecondFactor.objects.filter(user=user).exists()


def is_missing(project: Project, user: User) -> bool:
    """Whether the project requires two-factor authentication and this member has not set it up."""
    return project.two_factor and not is_on(user)


def proposed_key() -> str:
    """A new random key, hex. It is stored only once a code confirms it."""
    return secrets.token_hex(KEY_BYTES)


def typed_key(key: str) -> str:
    """The key in groups of four, for typing."""
    text = base64.b32encode(bytes.fromhex(key)).decode()
    return " ".join(text[k : k + 4] for k in range(0, len(text), 4))


def address(user: User, key: str) -> str:
    """The key as an otpauth URL for a QR code."""
    label = quote(f"{ISSUER}:{user.username}")
    return f"otpauth://totp/{label}?{urlencode({'secret': typed_key(key).replace(' ', ''), 'issuer': ISSUER})}"


@transaction.atomic
def confirm(user: User, key: str, typed: str) -> list[str]:
    """Turn two-factor authentication on once a code confirms the key; returns the backup codes, shown only now.

    Ends all sessions of the user. Empty if the code is wrong. Raises Refused if it is already on.
    """
    step = _step_of(key, typed, after=-1)
    if step is None:
        return []
    values = {"secret": key, "last_step": step, "confirmed_at": Now()}
    factor, new = SecondFactor.objects.get_or_create(user=user, defaults=values)
    if not new:
        raise Refused(_("Two-factor authentication is already on. Turn it off first."))
    sign_in.end_all(user)
    return _new_codes(factor)


def verify_code(user: User, typed: str) -> bool:
    """Whether `typed` is a valid authenticator code or backup code; a valid code is used up."""
    try:
        factor = SecondFactor.objects.filter(user=user).first()
    except Unsealable:  # SECRET_KEY was replaced; only `manage.py reset_second_factor` helps
        return False
    if factor is None:
        return False
    rests = _rests(factor)
    right = _is_kept(factor, typed) or (not rests and _is_current(factor, typed))
    if right or not rests:
        _count(factor, right=right)
    return right


def refusal_reason(user: User) -> str:
    """The reason why `verify_code` refused a code."""
    factor = SecondFactor.objects.defer("secret").filter(user=user).first()
    if factor is not None and _rests(factor):
        return _(
            "After too many wrong codes, codes from the authenticator are refused for up to an hour. You can "
            "use a backup code now."
        )
    return _("This code is wrong or was used before. A new code appears every 30 seconds.")


def _rests(factor: SecondFactor) -> bool:
    """Whether its codes are refused. A rest that has longer to go than it lasts is of before the clock was set back."""
    left = factor.rests_until - clock.now() if factor.rests_until else timedelta(0)
    return timedelta(0) < left <= _rest(factor.failed) + FIRST_REST


def _rest(failed: int) -> timedelta:
    rest: timedelta = min(FIRST_REST * 2 ** min(max(0, failed - FREE_TRIES), 10), LONGEST_REST)
    return rest


def _count(factor: SecondFactor, *, right: bool) -> None:
    """Count a wrong code; after some, each doubles the time in which only backup codes work: guessing takes years."""
    row = SecondFactor.objects.filter(pk=factor.pk)
    if right:
        row.filter(failed__gt=0).update(failed=0, rests_until=None)
        return
    row.update(failed=F("failed") + 1)
    failed = row.values_list("failed", flat=True).get()
    if failed >= FREE_TRIES:
        row.update(rests_until=Now() + _rest(failed))


def _is_current(factor: SecondFactor, typed: str) -> bool:
    """Whether the code is current; a guarded update uses it up, so that it cannot be used twice at the same time."""
    step = _step_of(factor.secret, typed, after=factor.last_step)
    if step is None:
        return False
    return bool(SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step))


def _step_of(key: str, typed: str, *, after: int) -> int | None:
    """The 30-second step of a code, if it is about now and later than the step `after`."""
    digits = "".join(typed.split())
    if not (digits.isascii() and digits.isdigit() and len(digits) == 6):
        return None
    totp = TOTP(bytes.fromhex(key))
    return int(totp.t()) if totp.verify(int(digits), tolerance=TOLERANCE, min_t=after + 1) else None


def _is_kept(factor: SecondFactor, typed: str) -> bool:
    text = "".join(sign for sign in typed.lower() if sign.isalnum())
    if len(text) != CODE_LENGTH:
        return False
    found = [_digest(text, key) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]]
    unused = BackupCode.objects.filter(factor=factor, digest__in=found, used_at__isnull=True)
    return bool(unused.update(used_at=Now()))


def _digest(code: str, key: str) -> str:
    return salted_hmac("hopscribe.backup-code", code, secret=key, algorithm="sha256").hexdigest()


@transaction.atomic
def renew_backup_codes(user: User) -> list[str]:
    """Create new backup codes; the former ones become invalid."""
    return _new_codes(SecondFactor.objects.get(user=user))


def _new_codes(factor: SecondFactor) -> list[str]:
    codes = ["".join(secrets.choice(ALPHABET) for _place in range(CODE_LENGTH)) for _code in range(CODES)]
    BackupCode.objects.filter(factor=factor).delete()
    digests = [_digest(code, settings.SECRET_KEY) for code in codes]
    BackupCode.objects.bulk_create(BackupCode(factor=factor, digest=digest) for digest in digests)
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def codes_left(user: User) -> int:
    return BackupCode.objects.filter(factor__user=user, used_at__isnull=True).count()


@transaction.atomic
def remove(user: User) -> bool:
    """Turn two-factor authentication off and end all sessions of the user; False if it was off."""
    was_on = bool(SecondFactor.objects.filter(user=user).delete()[0])
    if was_on:
        sign_in.end_all(user)
    return was_on
