r"""The document about any law, printed from the law's own steps: every phase, architecture and kind.

    network_subject     what a law of a network is about
    driven_subject      what a law of a recursion whose steps depend on the layer is about
    law_document        statement, steps, evidence
"""

import inspect

from sympy import Integer, Symbol

from asympt.architectures.registry import record_of
from asympt.deadline import NETWORK, limited
from asympt.evidence.verify import verify
from asympt.recursions import Law
from asympt.writing import law_evidence as numbers
from asympt.writing.account import Account, Plot, Subject
from asympt.writing.figure import environment
from asympt.writing.formulas import tex
from asympt.writing.law_constant import constant_section
from asympt.writing.law_statement import statement
from asympt.writing.networks import network_name, setting
from asympt.writing.paper import Document, PartCounter, Progress, paper
from asympt.writing.references import references
from asympt.writing.texts import derivation

DEPTH, VERIFIED = 10**4, 10  # of the checks, and their digits
START = Integer(1) / 10
NAMES = {
    "ntk": "neural tangent kernel", "correlation": "correlation of two inputs", "variance": "variance",
    "ntk diagonal": "neural tangent kernel of one input", "angle": "angle between two inputs",
    "zeta": "neural tangent kernel", "robustness": "robustness", "prediction variance": "variance of the prediction",
}  # fmt: skip
CITED = {"abel": ("deBruijn", "Milnor"), "koenigs": ("Koenigs", "MilnorKoenigs"), "time": (), "": ()}
_GAP = r"Let $y_l=1-c^l$, which is $0$ at the fixed point $c=1$."
_INSIDE = r"Let $y_l=(1-c^l)-(1-c^*)$, the distance from the fixed point $c^*<1$ of the correlation."


def network_document(net, name: str, terms: int, digits: int, figure_name: str, progress: Progress | None) -> Document:
    """The document about a law of a network, by the name that the registry has for it."""
    report = PartCounter(progress, total=3)
    report("derive the law")
    with limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        law = record_of(net).laws[name].of(net, terms)
    return law_document(law, network_subject(net, law), _start(law, net), digits, figure_name, report)


def law_document(law: Law, subject: Subject, start: dict | None = None, digits: int = 30,
                 figure_name: str = "figure.pdf", report: PartCounter | None = None, depth: int | None = None,
                 plot: Plot | None = None) -> Document:  # fmt: skip
    """Statement, steps and evidence of any law; `start` by the names of the law's reader, left out no numbers.

    `depth`: where the quantity is given to all digits; `plot`: the figure and the values in it.
    """
    report = report or PartCounter(None, 2)
    report("verify the law")
    plain = {} if start is None or "start" not in start else start
    found = verify(law, digits=digits if plot else min(digits, VERIFIED), **{} if plot else {"depth": DEPTH}, **plain)
    report("write")
    a = Account(law, subject, start, digits, depth, plot)
    figure = "" if plot is None else environment(figure_name, plot.caption, plot.width)
    sections = [statement(a, found), derivation(a), constant_section(a), numbers.evidence(a, found, figure)]
    cited = dict.fromkeys((*subject.cited, *CITED[a.form]))
    made = paper(subject.title, [*sections, references(tuple(cited))])
    return Document(made, None if plot is None else plot.figure, figure_name)


# ---- what a law is about ------------------------------------------------------------------------------------


def network_subject(net, law: Law) -> Subject:
    """A law of a network."""
    name = NAMES.get(law.name, rf"component ${law.quantity}$")
    cited = ("HDR", "JGH", *(("PDLT",) if record_of(net).name == "mlp" else ()))
    return Subject(f"The depth law of the {name} of {network_name(net)}", setting(net), _distance(law), cited)


def _distance(law: Law) -> str:
    """What y is."""
    if law.name == "variance":
        point = getattr(getattr(law, "place", None), "point", None)
        if point is None:
            return "Let $y=q^l$ be the variance."
        return "Let $y_l=1/q^l$." if not point.is_finite else f"Let $y_l=q^l{'' if point == 0 else '-q'}$."
    if law.name.startswith(("kernel ", "ntk ")) and law.name != "ntk diagonal":
        return r"Let $y=K_{00}^{(l)}$, the variance."
    place = getattr(getattr(law, "dense", law), "place", None)
    return _GAP if place is None or place.point == 0 else _INSIDE


def driven_subject(recursion, law: Law) -> Subject:
    """A law of a recursion whose steps depend on the layer."""
    h, layer = tex(recursion.h.subs(recursion.symbol, Symbol("x"))), tex(law.depth_variable)
    step = tex(recursion.step.subs(recursion.layer, law.depth_variable))
    shown = rf"\[ x_{{{layer}}}=x_{{{layer}-1}}-\delta_{{{layer}}}\,h(x_{{{layer}-1}}), \qquad h(x)={h}, "
    shown += rf"\qquad \delta_{{{layer}}}={step}, \]"
    setting_ = "\\section{Statement}\nConsider the recursion\n" + shown
    return Subject("The law of a recursion whose steps depend on the layer", setting_, "Let $y=x$.")


def _start(law: Law, net) -> dict | None:
    """c^1 = 1/10, or q^1 = 1, as far as the law asks for it."""
    known = inspect.signature(law.reader).parameters if law.reader else {}
    start = {}
    if "correlation" in known:
        start["correlation"] = START
    if "variance" in known:
        start["variance"] = Integer(1)
    if "position" in known:
        start = {"correlation": tuple([START, *[Integer(0)] * (net.positions - 1)]), "position": 0}
    return start
