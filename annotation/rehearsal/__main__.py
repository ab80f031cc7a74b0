"""`python -m annotation.rehearsal FOLDER`: plays a copied batch in the database that the environment names.

Started by `rehearse`, which gives it an environment of its own; progress goes to stdout, a line "done total" each.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random

import django


def main(folder: Path) -> None:
    """Fill the database, serve it, let the crowd work, and write what came out to the folder."""
    django.setup()
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command

    from annotation.pure import rehearsing
    from annotation.rehearsal import acting, copying, outcome
    from annotation.serving import free_port, served

    wish = json.loads((folder / "wish.json").read_text())
    settings.MIGRATION_MODULES = {config.label: None for config in apps.get_app_configs()}  # nothing is there to keep
    call_command("migrate", run_syncdb=True, verbosity=0)
    batch = copying.load_copy(folder)
    crowd, rng = rehearsing.Crowd(**wish["crowd"]), Random(wish["seed"])
    with served(free_port()) as server:
        people = acting.players(
            batch, f"http://127.0.0.1:{server.port}", rehearsing.people(crowd, wish["workers"], rng)
        )
        play = acting.Play(batch, crowd, rng, people)
        began = time.monotonic()
        acting.play(play, tell)
        took = time.monotonic() - began
    found = outcome.outcome(play, wanted=wish["wanted"], seed=wish["seed"]) | {"seconds": round(took, 3)}
    (folder / "result.json").write_text(json.dumps(found))


def tell(done: int, total: int) -> None:
    """A line for whoever started us."""
    sys.stdout.write(f"{done} {total}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
