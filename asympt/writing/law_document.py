r"""The document about any law, printed from the law's own steps: every phase, architecture and kind.

    network_subject     what a law of a network is about
    driven_subject      what a law of a recursion whose steps depend on the layer is about
    law_document        statement, steps, evidence
"""

import inspect
from dataclasses import replace

from sympy import Integer, Symbol

from asympt.architectures.registry import record_of
from asympt.deadline import NETWORK, limited
from asympt.evidence.verify import verify
from asympt.recursions import Law
from asympt.writing import law_evidence as numbers
from asympt.writing.account import Account, Plot, Subject
from asympt.writing.claim import members, published
from asympt.writing.figure import environment
from asympt.writing.formulas import tex
from asympt.writing.law_constant import constant_section
from asympt.writing.law_statement import statement
from asympt.writing.network_numbers import network_plot
from asympt.writing.networks import network_name, setting, tells_map, tells_moments
from asympt.writing.paper import Document, PartCounter, Progress, paper
from asympt.writing.references import references
from asympt.writing.texts import derivation
from asympt.writing.verdicts import Verdicts, claim_table, collect, parts

DEPTH, VERIFIED = 10**4, 10  # of the checks, and their digits
FLOWING = 15  # digits of those of a law along a flow
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
    report = PartCounter(progress, total=4)
    report("derive the law")
    with limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        a = account_of(net, name, terms, digits)
    report.total = 3 + (parts(a) if a.net else 1)
    verdicts = _verdicts(a, report)
    report("draw the figure")
    a = replace(a, plot=network_plot(a, net))
    report("write")
    return _written(a, verdicts, figure_name)


def account_of(net, name: str, terms: int = 4, digits: int = 30) -> Account:
    """A law of a network, to be told: with that of the correlation beside that of the kernel where its map is told."""
    law, told = record_of(net).laws[name].of(net, terms), tells_map(net, name)
    beside = net.correlation_law(terms) if told and name == "ntk" else None
    subject = network_subject(net, law, digits)
    ordered = net if tells_moments(net, name) else None
    return Account(
        law, subject, _start(law, net), digits, net=net if told else None, correlation=beside, ordered=ordered
    )


def _verdicts(a: Account, report: PartCounter) -> Verdicts:
    """What checks say of the law, and of what was printed about it."""
    if a.net is None:
        report("verify the law")
        return Verdicts({a.law.name: verify(a.law, digits=min(a.digits, VERIFIED), depth=DEPTH)}, {})
    if a.is_costly:
        return collect(a, report, min(a.digits, VERIFIED), 2 * DEPTH)
    return collect(a, report, min(a.digits, FLOWING) if a.form == "time" else None)


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
    return _written(Account(law, subject, start, digits, depth, plot), Verdicts({law.name: found}, {}), figure_name)


def _written(a: Account, verdicts: Verdicts, figure_name: str) -> Document:
    """The sections."""
    found, beside = verdicts.laws[a.law.name], verdicts.laws.get("correlation") if a.is_ntk else None
    figure = "" if a.plot is None else environment(figure_name, a.plot.caption, a.plot.width)
    told = [published(a) + claim_table(verdicts), members(a)] if a.net is not None else []
    sections = [
        statement(a, found, beside), derivation(a), constant_section(a), *told,
        numbers.evidence(a, found, figure, beside),
    ]  # fmt: skip
    cited = dict.fromkeys((*a.subject.cited, *CITED[a.form]))
    made = paper(a.subject.title, [*sections, references(tuple(cited))])
    return Document(made, None if a.plot is None else a.plot.figure, figure_name)


# ---- what a law is about ------------------------------------------------------------------------------------


def network_subject(net, law: Law, digits: int = 30) -> Subject:
    """A law of a network."""
    name = NAMES.get(law.name, rf"component ${law.quantity}$")
    cited = ("HDR", "JGH", *(("PDLT",) if record_of(net).name == "mlp" else ()))
    title = f"The depth law of the {name} {'in' if law.name == 'correlation' else 'of'} {network_name(net)}"
    if not tells_map(net, law.name):
        return Subject(title, setting(net), _distance(law), cited)
    scale_free = net.statement.layer.is_scale_free
    attracts = scale_free or net.stability.attracts
    return Subject(
        title if attracts else f"{title}, at a variance that is {net.stability.kind}", setting(net, law.name, digits),
        _distance(law), (*cited, *(("ChoSaul",) if scale_free else ())),
        approach=f"Let $-1<c^1<1${'' if attracts else ', and $q^1=q$ for both inputs'}. ",
    )  # fmt: skip


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
