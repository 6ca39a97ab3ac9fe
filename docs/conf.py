"""The pages as a site: `python -m sphinx -W docs build/docs` (`pip install ".[docs]"`), without a network.

Formulas become MathML, which browsers set themselves.  The pages of `atlas/`, `api/` and `tutorials/` are written here
from the package and the notebooks; nothing of them is kept.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from sphinx.ext.napoleon import Config, NumpyDocstring

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])

import mathml  # noqa: E402
import pages  # noqa: E402

import asympt  # noqa: E402

PUBLIC = {name: place for name, place in pages.public_names().items() if name[0].isupper()}  # classes
project, author, copyright = "asympt", "The asympt authors", "The asympt authors"
version = release = asympt.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
# the first is that of generated pages
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["pictures", "gallery", "plots/*.ipynb", "sg_execution_times.rst", "**/sg_execution_times.rst"]
WITH_ATLAS = os.environ.get("ASYMPT_ATLAS", "1") == "1"
if not WITH_ATLAS:
    exclude_patterns += [f"atlas/{path.name}" for path in (HERE / "atlas").glob("*.md") if path.stem != "index"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_dmath_double_inline = True  # notebooks have displayed formulas inside paragraphs
myst_heading_anchors = 3
suppress_warnings = ["config.cache", "mystnb.unknown_mime_type", "myst.header"]
nb_render_markdown_format = "myst"  # tables that notebooks show are tables
nb_execution_mode = "off"  # the tests execute the notebooks and compare what they show
default_role = "code"
autosummary_generate = True
autosummary_context = {"grouped": {PUBLIC["Law"]: pages.groups_of(asympt.Law)}}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
html_theme = "pydata_sphinx_theme"
html_title = f"asympt {version}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["asympt.css"]
html_math_renderer = "mathml"
html_sidebars = {page: [] for page in ("index", "start", "mathematics", "bounds", "compared")}
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 8,
}
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "plots",
    "filename_pattern": r"/\w+\.py$",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "plot_gallery": "True",
}


def setup(app):
    """Pages that are written here, formulas, docstrings."""
    app.add_html_math_renderer("mathml", (mathml.inline, None), (mathml.displayed, None))
    app.connect("autodoc-process-signature", _readable)
    app.connect("autodoc-process-docstring", _as_fields)
    app.connect("autodoc-process-docstring", _as_markup, 600)
    app.connect("autodoc-skip-member", lambda app, what, name, member, skip, options: skip or not _is_ours(member))
    notebooks = HERE / "tutorials"
    notebooks.mkdir(exist_ok=True)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        shutil.copy(path, notebooks / path.name)
    pages.write_api(HERE / "api")
    pages.write_claims(HERE / "claims")
    pages.write_pictures(ROOT, HERE / "pictures")
    if WITH_ATLAS:
        import atlas

        atlas.write(HERE / "atlas")
    else:
        pages.write_empty_atlas(HERE / "atlas")


def _is_ours(member) -> bool:
    """Whether a member comes from this package: what scikit-learn or tuples bring along has pages elsewhere."""
    owner = getattr(member, "fget", None) or getattr(member, "func", None) or member
    return str(getattr(owner, "__module__", project)).partition(".")[0] == project


# ---- docstrings ---------------------------------------------------------------------------------------

SECTION = re.compile(r"^-{3,}\s*$")
SPECIAL = re.compile(r"(`+[^`]*`+)")
MARKUP = re.compile(r"[*|]|(?<=\w)_(?=\W|$)")
ENTRY = re.compile(r"(?P<names>[a-zA-Z_]\w*(?:, [a-zA-Z_]\w*)*)(?: *: +)(?P<text>\S.*)")
FIELDS, RESULT = ("Parameters", "Raises", "Attributes"), "Returns"
NUMPY = Config(napoleon_use_rtype=False)
SINGLE = ("property", "attribute", "data")  # napoleon takes what stands before a colon there for a type


def _readable(app, what, name, obj, options, signature, returned) -> tuple:
    """A signature whose default values are Python: of `<factory>` or `<object at ...>` none of its types would link."""
    return signature and re.sub(r"= ?<(?:[^<>]|<\w+>)*>", "= ...", signature), returned


def _as_fields(app, what, name, obj, options, lines) -> None:
    """The sections of NumPy's docstrings as fields; entries are `name : meaning` here, types are in the code."""
    if what == "data" and obj.__doc__ == type(obj).__doc__:  # that of `dict`, say
        lines.clear()
    kind = "method" if what in SINGLE else what
    lines[:] = NumpyDocstring(_entries(lines), NUMPY, app, kind, name, obj, options).lines()


def _entries(lines: list[str]) -> list[str]:
    """Entries of sections on two lines, as NumPy has them; outside, lines that begin with a name as a list."""
    found, section, listed = [], "", False
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        section = line.strip() if SECTION.match(after) else section
        entry = ENTRY.fullmatch(line)
        if section in FIELDS and not before.strip() and line[:1].strip() and not (entry or line == section):
            section = ""
            found.append("")  # two empty lines end a section
        begins = bool(entry) and not section and not before.strip() and bool(ENTRY.fullmatch(after))
        listed = bool(line.strip()) and (listed or begins)
        if entry and section in FIELDS:
            found += [entry["names"], f"    {entry['text']}"]
        elif listed and entry:
            found.append(f"* `{entry['names']}`: {entry['text']}")
        elif listed or (section == RESULT and before.strip() and line.strip() and not SECTION.match(line)):
            found[-1] += f" {line.strip()}"
        elif section == RESULT and line == RESULT:
            found += ["", ":returns:"]  # whose text is a sentence, and no type
        elif section != RESULT or not SECTION.match(line):
            found.append(line)
    return found


def _as_markup(app, what, name, obj, options, lines) -> None:
    """Docstrings are plain text: formulas that stand apart are literal, stars and bars mean themselves."""
    found, apart, doctest, section = [], False, False, False
    for k, line in enumerate(lines):
        section = section or bool(SECTION.match(line)) or line.startswith((":", ".. "))  # fields, after napoleon
        bare = line.strip()
        doctest = bool(bare) and (doctest or bare.startswith(">>>"))
        indented = line.startswith((" ", "\t")) and not section and not doctest
        if indented and not apart and (not found or not found[-1].strip() or not lines[k - 1].startswith(" ")):
            found += ([""] if found and found[-1].strip() else []) + ["::", ""]
            apart = True
        elif apart and bare and not indented:
            apart = False
            if found[-1].strip():
                found.append("")
        found.append(line if apart or doctest or SECTION.match(line) else _escaped(line))
    lines[:] = found


def _escaped(line: str) -> str:
    """Text and code; a bullet stays one, and a public name links to its page."""
    bullet = re.match(r" *\* (?=\S)", line)
    start = bullet.end() if bullet else 0
    parts = SPECIAL.split(line[start:])
    parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    parts[1::2] = [f":py:obj:`~{PUBLIC[p[1:-1]]}`" if p[1:-1] in PUBLIC else p for p in parts[1::2]]
    return line[:start] + "".join(parts)
