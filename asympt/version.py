"""Which asympt this is, and what it runs on."""

import platform
from importlib.metadata import PackageNotFoundError, version

__version__ = "0.1.0"

NEEDED = ("sympy", "mpmath", "python-flint", "numpy", "scipy", "joblib", "matplotlib", "typer", "rich")
OPTIONAL = ("scikit-learn", "dask", "array-api-compat", "jax", "torch", "cupy")


def show_versions() -> None:
    """Print what a bug report should contain: the versions of asympt, Python, the system and the libraries.

    >>> show_versions()  # doctest: +ELLIPSIS
    asympt            0.1.0
    python            3...
    """
    rows = [("asympt", __version__), ("python", platform.python_version()), ("system", platform.platform())]
    rows += [(name, installed(name) or "missing") for name in NEEDED]
    rows += [(name, found) for name in OPTIONAL if (found := installed(name))]
    print("\n".join(f"{name:<18}{found}" for name, found in rows))


def installed(name: str) -> str | None:
    """The version of a distribution, None when it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
