"""Pages that are lists: the interface, from the public names of the package."""

from importlib import import_module
from pathlib import Path

GROUPS = {
    "Recursions and laws": (
        "Recursion", "DrivenRecursion", "layered_solution", "Law", "Expansion", "verify", "time_limit",
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
    "asympt.training": "What a kernel says about training",
    "asympt.learn": "In scikit-learn",
    "asympt.plots": "Figures",
    "asympt.claims": "Claims of the literature",
    "asympt.writing": "Documents",
}
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
    text = ["# The interface", "", "Every public name; a line each, then a page each.", ""]
    for title, names in groups.items():
        text += [f"## {title}", "", *OPENED]
        text += [f"   {name}" for name in names] + ["```", ""]
    _keep(folder / "index.md", "\n".join(text))


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
