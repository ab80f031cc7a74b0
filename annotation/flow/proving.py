"""The second step of signing in: a code of the person's authenticator, or one of the codes kept for its loss.

The key lies sealed in the database, and codes as keyed hashes: a copy of the database alone lets nobody in.
"""

from __future__ import annotations

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

from annotation.flow.refusal import Refused
from annotation.models import BackupCode, Project, SecondFactor, User, clock
from annotation.models.sealed import Unsealable

KEY_BYTES = 20  # as RFC 4226 recommends
CODES = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without what is easily mistaken for another
CODE_LENGTH = 10  # 49 random bits
FREE_TRIES, FIRST_REST, LONGEST_REST = 10, timedelta(minutes=1), timedelta(hours=1)
TOLERANCE = 1  # steps of 30 s that a telephone's clock may be off
ISSUER = "Hopscribe"


def is_on(user: User) -> bool:
    """Whether signing in asks this person for a code."""
    return SecondFactor.objects.filter(user=user).exists()


def is_missing(project: Project, user: User) -> bool:
    """Whether the project wants two factors of its members, and this one has one only."""
    return project.two_factor and not is_on(user)


def proposed_key() -> str:
    """A key to be scanned, hex. Nothing is stored before a code shows that it arrived."""
    return secrets.token_hex(KEY_BYTES)


def typed_key(key: str) -> str:
    """The key for whoever types it, in groups of four."""
    text = base64.b32encode(bytes.fromhex(key)).decode()
    return " ".join(text[k : k + 4] for k in range(0, len(text), 4))


def address(user: User, key: str) -> str:
    """The key as authenticators scan it."""
    label = quote(f"{ISSUER}:{user.username}")
    return f"otpauth://totp/{label}?{urlencode({'secret': typed_key(key).replace(' ', ''), 'issuer': ISSUER})}"


@transaction.atomic
def confirm(user: User, key: str, typed: str) -> list[str]:
    """Put a key into use, once a code shows that it arrived; the codes for its loss, which nobody can ask for again.

    Empty when the code is not right. Raises Refused where a second factor is in use already.
    """
    step = _step_of(key, typed, after=-1)
    if step is None:
        return []
    values = {"secret": key, "last_step": step, "confirmed_at": Now()}
    factor, new = SecondFactor.objects.get_or_create(user=user, defaults=values)
    if not new:
        raise Refused(_("A second factor is in use already. Remove it first."))
    return _new_codes(factor)


def prove(user: User, typed: str) -> bool:
    """Whether this is a code of the person's authenticator or of their list. Each is good once."""
    try:
        factor = SecondFactor.objects.filter(user=user).first()
    except Unsealable:  # made under a SECRET_KEY that is gone: `manage.py reset_second_factor` is the way out
        return False
    if factor is None:
        return False
    rests = _rests(factor)
    right = _is_kept(factor, typed) or (not rests and _is_current(factor, typed))
    if right or not rests:
        _count(factor, right=right)
    return right


def what_was_wrong(user: User) -> str:
    """Why `prove` did not take a code."""
    factor = SecondFactor.objects.defer("secret").filter(user=user).first()
    if factor is not None and _rests(factor):
        return _(
            "After so many wrong codes, those of the authenticator are not looked at for a while, at most an hour. A "
            "backup code is taken now."
        )
    return _("This code is not right, or was used before. A new one comes every 30 seconds.")


def _rests(factor: SecondFactor) -> bool:
    return factor.rests_until is not None and factor.rests_until > clock.now()


def _count(factor: SecondFactor, *, right: bool) -> None:
    """Let each wrong code after some make the authenticator rest twice as long: guessing goes on for years then."""
    mine = SecondFactor.objects.filter(pk=factor.pk)
    if right:
        mine.filter(failed__gt=0).update(failed=0, rests_until=None)
        return
    mine.update(failed=F("failed") + 1)
    beyond = mine.values_list("failed", flat=True).get() - FREE_TRIES
    if beyond >= 0:
        mine.update(rests_until=Now() + min(FIRST_REST * 2 ** min(beyond, 10), LONGEST_REST))


def _is_current(factor: SecondFactor, typed: str) -> bool:
    """Whether the code is of now; it is used up by a guarded update, so that it cannot be used twice at once."""
    step = _step_of(factor.secret, typed, after=factor.last_step)
    if step is None:
        return False
    return bool(SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step))


def _step_of(key: str, typed: str, *, after: int) -> int | None:
    """The step of 30 s that a code is of, if it is of about now and later than the step `after`."""
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
def renew(user: User) -> list[str]:
    """New codes for the loss of the authenticator; the old ones are good for nothing any more."""
    return _new_codes(SecondFactor.objects.get(user=user))


def _new_codes(factor: SecondFactor) -> list[str]:
    codes = ["".join(secrets.choice(ALPHABET) for _place in range(CODE_LENGTH)) for _code in range(CODES)]
    BackupCode.objects.filter(factor=factor).delete()
    BackupCode.objects.bulk_create(
        BackupCode(factor=factor, digest=_digest(code, settings.SECRET_KEY)) for code in codes
    )
    return [f"{code[:5]}-{code[5:]}" for code in codes]


def codes_left(user: User) -> int:
    return BackupCode.objects.filter(factor__user=user, used_at__isnull=True).count()


def remove(user: User) -> bool:
    """Let the password alone be enough again; False where it was."""
    return bool(SecondFactor.objects.filter(user=user).delete()[0])
