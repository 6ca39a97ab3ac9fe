"""Pages that are lists: the interface, from the public names of the package."""

import inspect
import re
import runpy
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

GROUPS = {
    "Recursions and laws": (
        "Recursion", "System", "DrivenRecursion", "layered_solution", "Law", "Expansion", "verify", "time_limit",
    ),
    "Activations and the mean field": (
        "activation", "Activation", "catalogue", "edge_of_chaos", "critical_points", "edge_exists", "CriticalPoint",
        "CorrelationMap", "VarianceMap",
    ),
    "Networks": (
        "FeedForward", "ResNet", "ScaledResNet", "BlockResNet", "ConvNet", "ConvResNet", "MLP", "random_network",
        "referee",
    ),
    "Errors": ("AsymptError", "InputError", "UnsupportedError", "PrecisionError"),
}  # fmt: skip
PACKAGES = {
    "asympt.depth": "Kernels at depth",
    "asympt.depth.finite": "Random networks of finite width",
    "asympt.width": "Width against depth",
    "asympt.training": "What a kernel implies for training",
    "asympt.learn": "In scikit-learn",
    "asympt.plots": "Figures",
    "asympt.claims": "Claims of the literature",
    "asympt.writing": "Documents",
}
CLAIMS = """What papers print about these laws, each decided by computation: *proved*, *checked*, *refuted* with
a corrected statement, or *unknown*.  `asympt claims check ID` decides one; [a file of your own](README.md) states those
of another paper."""
LATER = "Others"
OPENED = "```{eval-rst}", ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""


def write_api(folder: Path) -> None:
    """One page of names, in groups; every public name stands in exactly one."""
    import asympt

    folder.mkdir(exist_ok=True)
    named = {name for names in GROUPS.values() for name in names}
    lost = named - set(asympt.__all__)
    if lost:
        raise ValueError(f"docs/pages.py lists {sorted(lost)}, which are no public names")
    modules = {name for name in asympt.__all__ if name.startswith("__") or _is_module(getattr(asympt, name))}
    rest = tuple(name for name in asympt.__all__ if name not in named | modules)
    groups = {title: [f"asympt.{name}" for name in names] for title, names in (GROUPS | {LATER: rest}).items() if names}
    for module, title in PACKAGES.items():
        groups[title] = [f"{module}.{name}" for name in public(module)]
    text = ["# API", "", "Every public name: a line each, and a page each.", ""]
    for title, names in groups.items():
        text += [f"## {title}", "", *OPENED]
        text += [f"   {name}" for name in names] + ["```", ""]
    _keep(folder / "index.md", "\n".join(text))


def public_names() -> dict[str, str]:
    """{name: where its page says it is} of everything with a page; the package's own names come before others."""
    import asympt

    found = {name: f"{module}.{name}" for module in PACKAGES for name in public(module)}
    return found | {name: f"asympt.{name}" for name in asympt.__all__ if not _is_module(getattr(asympt, name))}


def groups_of(found: type) -> dict[str, list[tuple[str, str]]]:
    """{title: members with their directives} of a class whose docstring lists its public names in groups."""
    listed = re.findall(r"^ *\* ([^`\n]+): ((?:`\w+`(?:, )?)+)[;.]$", found.__doc__, re.MULTILINE)
    return {title.capitalize(): [_member(found, name) for name in re.findall(r"\w+", names)] for title, names in listed}


def _member(found: type, name: str) -> tuple[str, str]:
    value = inspect.getattr_static(found, name, None)
    if inspect.isfunction(value):
        return "automethod", name
    return "autoattribute" if value is None else "autoproperty", name


def write_claims(folder: Path) -> None:
    """The claims that are decided, in the order of their sources."""
    from asympt.claims import all_claims

    sources: dict[str, list] = {}
    for claim in all_claims():
        sources.setdefault(_work(claim.source), []).append(claim)
    text = ["# Claims", "", CLAIMS, ""]
    for work, found in sources.items():
        text += [f"## {work}", "", "| id | where | claim |", "|---|---|---|"]
        text += [f"| `{c.id}` | {_cell(c.source)} | {_cell(c.summary)} |" for c in found] + [""]
    _keep(folder / "index.md", "\n".join(text))


def _work(source: str) -> str:
    """The paper: its letters, or its authors and year."""
    return re.match(r"[A-Z]{3,}|[^,:;(]*", source)[0].strip()


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*").replace("$", r"\$")


def public(module: str) -> list[str]:
    """The public functions and classes of a package."""
    found = import_module(module)
    return [name for name in getattr(found, "__all__", ()) if not _is_module(getattr(found, name))]


def write_empty_atlas(folder: Path) -> None:
    """A page in the place of the atlas, for a build in a hurry."""
    folder.mkdir(exist_ok=True)
    _keep(folder / "index.md", "# Atlas\n\nThis build left it out (`ASYMPT_ATLAS=0`).\n")


def _is_module(value) -> bool:
    return type(value).__name__ == "module"


def _keep(path: Path, text: str) -> None:
    """Write it unless it is there: an older time stamp spares work."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# ---- pictures: of the gallery's scripts, and a page of a document ---------------------------------------------

PICTURES = ("ntk_relu", "corr_relu", "correlation_maps", "proved_tube")
DOCUMENT = "hdr-theorem-1-relu-ntk"  # in derivations/


def write_pictures(root: Path, folder: Path) -> None:
    """The figures that pages show, drawn unless they are there and younger than their scripts."""
    folder.mkdir(exist_ok=True)
    for name in PICTURES:
        script, path = root / "docs" / "gallery" / f"plot_{name}.py", folder / f"{name}.svg"
        if not path.exists() or path.stat().st_mtime < script.stat().st_mtime:
            figure = runpy.run_path(str(script))["figure"]
            figure.savefig(path, bbox_inches="tight", facecolor="white")
            pyplot.close("all")
    command = ["pdftoppm", "-png", "-singlefile", "-r", "60", str(root / "derivations" / f"{DOCUMENT}.pdf")]
    if shutil.which("pdftoppm"):
        subprocess.run([*command, str(folder / "document")], check=True)
    else:  # the page shows the document's figure alone
        _keep(folder / "document.svg", (folder / "ntk_relu.svg").read_text(encoding="utf-8"))
