"""The secret key of a local installation, created once and readable by its owner only."""

import os
import secrets
from pathlib import Path


def read_or_make_key(path: Path) -> str:
    """Return the key in the file `path`, creating it (mode 0600) if it does not exist.

    Of two processes that start at once, only one can link the complete file into place; both then read it.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        except FileExistsError:
            return path.read_text().strip()
        finally:
            draft.unlink()
    return path.read_text().strip()
