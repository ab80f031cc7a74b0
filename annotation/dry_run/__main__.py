"""`python -m annotation.dry_run FOLDER`: runs a copied batch in the database that the environment names.

Started by `run.dry_run` with an environment of its own; it prints progress, a line "done total" each.
"""

import json
import sys
import time
from pathlib import Path
from random import Random

import django


def main(folder: Path) -> None:
    """Fill the database, serve it, let the simulated workers work, and write the outcome to the folder."""
    django.setup()
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command

    from annotation.dry_run import forecast, run, simulated_workers
    from annotation.operations.local_server import free_port, served

    terms = json.loads((folder / "terms.json").read_text())
    # faster: the temporary database needs no migrations
    settings.MIGRATION_MODULES = {config.label: None for config in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0)
    batch = run.load_copy(folder)
    crowd, rng = forecast.WorkerModel(**terms["crowd"]), Random(terms["seed"])
    with served(free_port()) as server:
        personas = forecast.draw_personas(crowd, terms["workers"], rng)
        people = simulated_workers.workers(batch, f"http://127.0.0.1:{server.port}", personas)
        play = simulated_workers.Simulation(batch, crowd, rng, people)
        began = time.monotonic()
        simulated_workers.run_simulation(play, progress)
        took = time.monotonic() - began
    found = simulated_workers.outcome(play, wanted=terms["wanted"], seed=terms["seed"]) | {"seconds": round(took, 3)}
    (folder / "result.json").write_text(json.dumps(found))


def progress(done: int, total: int) -> None:
    """Print a progress line for the parent process."""
    sys.stdout.write(f"{done} {total}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
