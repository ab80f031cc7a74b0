"""The Hugging Face Hub, through its own library: a client, and its errors in our words.

`huggingface_hub` is an extra, imported only here and only when needed. It takes the token from HF_TOKEN or from
`hf auth login`; we neither store nor log it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.pure.data.hub_layout import HubName

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import DatasetInfo

INSTALL_HUB = 'pip install "hopscribe[hub]"'
ADDRESS = "https://huggingface.co"
DATASET = "dataset"  # the kind of repository
BEAT = 1.0  # seconds


def client(*, anonymous: bool = False) -> HfApi:
    """A client of the Hub, or of the mirror that HF_ENDPOINT names. Raises Refused if the library is missing.

    `anonymous`: do not use the token of this installation.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError:
        text = _("The Hugging Face Hub needs a package that is not installed. Run %(command)s on the server.")
        raise Refused(text % {"command": INSTALL_HUB}) from None
    disable_progress_bars()
    return HfApi(endpoint=endpoint(), token=False if anonymous else None, library_name="hopscribe")


def endpoint() -> str:
    """The Hub's address, without a slash at the end."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or ADDRESS


def page_of(repository: str, revision: str = "") -> str:
    """The address of a dataset, or of one of its revisions."""
    return f"{endpoint()}/datasets/{repository}" + (f"/tree/{revision}" if revision else "")


def info_of(api: HfApi, name: HubName) -> DatasetInfo:
    """The dataset's files with sizes and digests, its card's metadata, and the revision. Raises Refused."""
    with errors_of(name):
        return api.dataset_info(name.repository, revision=name.revision or None, files_metadata=True, timeout=30)


@contextmanager
def errors_of(name: HubName) -> Iterator[None]:
    """Turn whatever goes wrong between us and the Hub into Refused."""
    import httpx2
    from huggingface_hub import errors

    try:
        yield
    except errors.HfHubHTTPError as failure:
        raise Refused(_in_words(failure, name)) from failure
    except (httpx2.TransportError, errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as failure:
        text = _("The Hub at %(address)s cannot be reached. Check the network and HF_ENDPOINT, then try again.")
        raise Refused(text % {"address": endpoint()}) from failure
    except (OSError, errors.XetDownloadError, ValueError, RuntimeError) as failure:
        # the library's own checks of what it got or sends, and uploads in its threads; a first line names the reason
        cause = failure.__cause__ or failure
        if isinstance(cause, errors.HfHubHTTPError):
            raise Refused(_in_words(cause, name)) from failure
        text = _("The exchange with the Hub on %(name)s failed: %(why)s")
        raise Refused(text % {"name": name, "why": str(cause).strip().split("\n")[0][:300]}) from failure


def _in_words(failure: Any, name: HubName) -> str:
    from huggingface_hub import errors

    status = failure.response.status_code if failure.response is not None else 0
    facts = {"name": name, "address": page_of(name.repository), "revision": name.revision or "main", "status": status}
    kinds: list[tuple[type[Exception], str]] = [
        (
            errors.GatedRepoError,
            _(
                "%(name)s is gated. Accept its conditions at %(address)s, set HF_TOKEN to a token of that account, and "
                "use the command on the server."
            ),
        ),
        (errors.DisabledRepoError, _("The Hub has disabled access to %(name)s.")),
        (errors.RevisionNotFoundError, _("%(address)s has no revision %(revision)s.")),
        (errors.RemoteEntryNotFoundError, _("A file of %(name)s is no longer there. Try again.")),
        (
            errors.RepositoryNotFoundError,
            _(
                "%(address)s does not exist, or is private. If it is private, set HF_TOKEN to a token that may see it, "
                "and use the command on the server."
            ),
        ),
    ]
    by_status = {
        401: _("The Hub does not accept the token. Set HF_TOKEN to a valid one."),
        403: _("The token may not do this with %(name)s. Use one with the right permissions: writing, for a push."),
        409: _("%(name)s was changed by somebody else at the same time. Try again."),
        412: _("%(name)s was changed by somebody else at the same time. Try again."),
        429: _("The Hub asks us to wait: too many requests. Try again in a few minutes."),
    }
    other = _("The Hub answered %(status)s on %(name)s. Try again later.")
    text = next((words for kind, words in kinds if isinstance(failure, kind)), by_status.get(status, other))
    return text % facts


class Done:
    """The bytes that were downloaded so far."""

    bytes = 0


def counting(done: Done) -> type[Any]:
    """A class that the library takes for its progress bars, and that counts instead."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # it has no types
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{**kwargs, "disable": True})

        def update(self, n: float | None = 1) -> bool | None:
            done.bytes += int(n or 0)
            return None

    return Bar


def waiting(act: Callable[[], None], beat: Callable[[], object]) -> None:
    """Act in another thread, and call `beat` here once a second: the library reports from threads of its own, where
    the database is out of reach."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(act)
        while not wait([future], timeout=BEAT).done:
            beat()
        future.result()
