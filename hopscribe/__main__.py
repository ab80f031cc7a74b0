"""The command `hopscribe`: every command of manage.py, for an installation without a checkout.

It puts its own folder on Python's path, so that `annotation` and `tasks` are found there and nobody else's
site-packages gets packages of such general names. In a checkout, `python -m hopscribe` does what manage.py does.
"""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLED = (HERE / "annotation").is_dir()
HOME = "HOPSCRIBE_VAR"
USAGE = """\
hopscribe COMMAND [--home DIR]

  demo      try it: a working installation with invented data
  serve     start your own: database, uploads and keys are kept in DIR
  doctor    check the installation, and say how to fix it
  upgrade   bring the database up to this release; goes back if that fails

  hopscribe help            every other command
  hopscribe COMMAND --help  its options
"""


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        rest, home = _without_home(given)
    except ValueError as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    if not rest or rest[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if rest[0] == "--version":
        sys.stdout.write(f"{_release()}\n")
        return 0
    home = home or os.environ.get(HOME, "")
    if not home and INSTALLED and rest[0] == "demo":
        from platformdirs import user_data_path

        home = str(user_data_path("hopscribe-demo", appauthor=False))  # its invented data stays apart from yours
    if home:
        os.environ[HOME] = str(Path(home).expanduser().absolute())
    sys.path.insert(0, str(HERE if INSTALLED else HERE.parent))
    sys.argv = ["hopscribe", *rest]
    import manage

    return manage.main()


def _without_home(given: list[str]) -> tuple[list[str], str]:
    """The arguments without `--home DIR`, wherever it stands, and DIR."""
    rest, home, words = [], "", iter(given)
    for word in words:
        option, equals, value = word.partition("=")
        if option != "--home":
            rest.append(word)
            continue
        home = value if equals else next(words, "")
        if not home:
            raise ValueError("--home: name a folder")
    return rest, home


def _release() -> str:
    try:
        return version("hopscribe")
    except PackageNotFoundError:
        return "a checkout"


if __name__ == "__main__":
    sys.exit(main())
