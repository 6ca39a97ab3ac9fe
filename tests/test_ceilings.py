"""No room grows: lines and files of every folder stay below tests/ceilings.toml, which follows when a room shrinks.

`python tests/test_ceilings.py` lowers the ceilings to what the rooms hold now; it raises none.
"""

import tomllib
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
CEILINGS = Path(__file__).with_name("ceilings.toml")
STEP = 50  # ceilings of lines are multiples of it
SLACK = 150  # a room further below lowers its ceiling


def _read() -> dict[str, dict[str, int]]:
    return tomllib.loads(CEILINGS.read_text(encoding="utf-8"))


def _sizes(room: str) -> dict[str, int]:
    """Lines and files of a folder with all below it; of `asympt/*` and `tests/*`, of the files beside the folders.

    Claims in TOML are source as well; the known values of tests are data.
    """
    folder, found = HOUSE / room.removesuffix("/*"), "*" if room.endswith("/*") else "**/*"
    sources = (".py", ".toml") if room.startswith("asympt") else (".py",)
    files = [path for path in folder.glob(found) if path.suffix in sources]
    return {"lines": sum(len(path.read_bytes().splitlines()) for path in files), "files": len(files)}


def _lowest(room: str) -> dict[str, int]:
    sizes = _sizes(room)
    return sizes | {"lines": -(-sizes["lines"] // STEP) * STEP}


@pytest.mark.parametrize(("room", "ceiling"), _read().items())
def test_a_room_stays_below_its_ceiling_and_the_ceiling_follows(room, ceiling):
    sizes = _sizes(room)
    assert sizes["lines"] <= ceiling["lines"] and sizes["files"] <= ceiling["files"]
    assert sizes["lines"] > ceiling["lines"] - SLACK - STEP and sizes["files"] > ceiling["files"] - 5


def test_every_folder_is_a_room():
    folders = [path.parent for top in ("asympt", "tests") for path in (HOUSE / top).glob("*/*.py")]
    rooms = {str(folder.relative_to(HOUSE)) for folder in folders}
    assert rooms | {"asympt", "asympt/*", "tests", "tests/*"} == set(_read())


def _lower() -> None:
    lines = []
    for room, ceiling in _read().items():
        new = {what: min(size, ceiling[what]) for what, size in _lowest(room).items()}
        lines.append(f'"{room}" = {{ lines = {new["lines"]}, files = {new["files"]} }}\n')
    CEILINGS.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _lower()
