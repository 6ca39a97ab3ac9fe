"""What users of Python packages expect: a citation, one version, a log that is silent, a changelog in one form."""

import logging
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import asympt as asy

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_there_is_one_version():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    said = re.search(r"^version: (.*)$", cited, re.MULTILINE)[1]
    assert asy.__version__ == PROJECT["version"] == said
    assert cited.startswith("cff-version: 1.2.0\n") and 'title: "asympt' in cited and "url" not in cited


def test_the_classifiers_are_known_and_name_the_versions_of_python():
    known = pytest.importorskip("trove_classifiers").classifiers
    assert set(PROJECT["classifiers"]) <= set(known)
    assert {"Programming Language :: Python :: 3.11", "Typing :: Typed"} <= set(PROJECT["classifiers"])


def test_versions_are_shown(capsys):
    asy.show_versions()
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert shown["asympt"] == asy.__version__ and shown["python"].startswith(f"3.{sys.version_info.minor}")
    needed = {re.match(r"[\w-]+", text)[0] for text in PROJECT["dependencies"]} - {"latex2mathml"}
    assert needed <= set(shown) and "missing" not in shown.values()


def test_the_log_tells_what_is_done_and_is_silent_unless_asked(caplog, capfd):
    asy.FeedForward("relu").correlation_law(terms=2)
    assert capfd.readouterr().err == ""
    with caplog.at_level(logging.DEBUG, logger="asympt"):
        asy.FeedForward("relu").correlation_law(terms=1)
    assert any("deriving the law of the correlation" in record.message for record in caplog.records)
    assert {record.name for record in caplog.records} == {"asympt"}


def test_the_changelog_keeps_to_its_form():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Changelog" and any("keepachangelog" in line for line in lines[:8])
    sections = [line for line in lines if line.startswith("## ")]
    assert sections[0] == "## [Unreleased]"
    kinds = {line for line in lines if line.startswith("### ")}
    assert kinds <= {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}
    entries = lines[lines.index(sections[0]) :]
    assert all(re.match(r"(- |  \S|#|$)", line) for line in entries), "an entry is a bullet, its other lines indented"


def test_wheel_and_sdist_hold_what_they_need(tmp_path):
    pytest.importorskip("hatchling")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    inside = set(zipfile.ZipFile(wheel).namelist())
    data = {str(p.relative_to(ROOT)) for p in (ROOT / "asympt").rglob("*") if p.suffix in (".json", ".toml", ".typed")}
    assert data and data <= inside and not any(name.startswith("tests") for name in inside)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "CITATION.cff", "asympt/py.typed"} <= names


PROVING = ("balls", "evidence", "expansions/fields", "recursions/proofs")


@pytest.mark.parametrize("folder", PROVING)
def test_no_proof_asks_simplify(folder):
    """What `simplify` makes of an expression is a matter of taste: what vanishes in a proof does so by algebra."""
    files = (ROOT / "asympt" / folder).rglob("*.py")
    asked = [str(p) for p in files if re.search(r"\bsimplify\b[(,\n]", p.read_text(encoding="utf-8"))]
    assert asked == []
