"""Formulas as MathML, which browsers set without a program and without a network.

docutils translates LaTeX; what it does not know is left to stand as LaTeX, and the build says so.
"""

import re

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOG = logging.getLogger(__name__)
SPELT = {
    r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\operatorname*": r"\operatorname", r"\lVert": r"\|", r"\rVert": r"\|",
    r"\lvert": "|", r"\rvert": "|", r"\bigl": "", r"\bigr": "", r"\Bigl": "", r"\Bigr": "", r"\big": "",
    r"\dots": r"\ldots",
}  # fmt: skip
ENVIRONMENT = re.compile(r"\\(begin|end)\{(align\*?|aligned|equation\*?|gather\*?|split)\}")
NAMED = r"\\(?:log|ln|exp|sin|cos|tan|sinh|cosh|tanh|arccos|arcsin|erf|max|min)(?![A-Za-z])"
REWRITTEN = (
    (re.compile(r"\\frac\s*(\d)\s*(\d)"), r"\\frac{\1}{\2}"),
    (re.compile(r"(?<=[\w})])'(?!')"), r"^{\\prime}"),
    (re.compile(rf"(?<=[\w}})])\s*(?={NAMED})"), r"\\,"),
    (re.compile(rf"({NAMED})\s*(?=[A-Za-z0-9]|\\[a-z])"), r"\1\\,"),
)
TIGHT = re.compile(r"<mo[^>]*>([/|])</mo>")  # the dictionary of operators puts spaces around these


def inline(self, node) -> None:
    """A formula in the text."""
    self.body.append(_translated(node.astext(), False))
    _skip()


def displayed(self, node) -> None:
    """A formula of its own line, which scrolls where it is wider than the page."""
    self.body.append(f'<div class="math-wide">{_translated(node.astext(), True)}</div>')
    _skip()


def _skip() -> None:
    from docutils import nodes

    raise nodes.SkipNode


def _translated(tex: str, display: bool) -> str:
    text = tex.replace("\\displaystyle", "").strip().strip("$")
    text = ENVIRONMENT.sub("", text).replace("&=", "=").strip()
    for known, other in SPELT.items():
        text = re.sub(re.escape(known) + r"(?![A-Za-z])", lambda _, other=other: other, text)
    for pattern, other in REWRITTEN:
        text = pattern.sub(other, text)
    try:
        return TIGHT.sub(r'<mo lspace="0" rspace="0">\1</mo>', tex2mathml(text, as_block=display))
    except (MathError, IndexError, AttributeError, TypeError, KeyError) as error:
        LOG.warning("no MathML for %s: %s", tex, error)
        return f"<code>{tex}</code>"
