"""A claim: what a paper states, where, and how the toolkit decides it: by its formulas, and by code where it has some.

The statement is quoted, the verdict computed each time.  Formulas that take a `network` are about the network that the
claim is bound to, or, unbound, about examples.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from html import escape
from inspect import signature

from asympt.architectures.feedforward import FeedForward
from asympt.claims import scopes
from asympt.claims.note import NOTHING, Note, as_text, severity_of, within
from asympt.claims.scopes import Scope
from asympt.claims.stated.laws import StatedNetwork
from asympt.evidence.check import Verification, undecided
from asympt.numbers import symbol_names
from asympt.saving import Saved
from asympt.showing import Html, html_table, one_line


@dataclass(frozen=True)
class Claim(Saved):
    """A published statement, with how it is read and decided.

    `id`; `source`, paper and place; `statement`, what is printed there, word for word, as one LaTeX formula: parts that
    stand apart are parted by a \\quad, never by dots, and nothing is repaired (the note's reading says how it is read);
    `summary`, one plain sentence; `decide`, the check, None where the printed formulas are all that is checked;
    `scope`, of which networks and laws it speaks; `net`, the network it is bound to, if it is; `note`, the reading, the
    reason, the severity and the corrected statement in formulas; `formulas`, called for its printed formulas as objects
    (`asympt.claims.stated`): their LaTeX is shown beside the quote, and their checks count with the others; those about
    a class of networks take the `network` that the claim is bound to, as a `StatedNetwork`.
    """

    id: str
    source: str
    statement: str
    summary: str
    decide: Callable[..., Verification] | None = None
    scope: Scope = scopes.RECURSIONS
    net: FeedForward | None = None
    note: Note = NOTHING
    formulas: Callable[..., tuple] | None = None

    def __repr__(self) -> str:
        return one_line("Claim", f"{self.id}: {self.summary}; {self.source}")

    def _repr_html_(self) -> str:
        texts = {"as printed": as_text(self.statement), "read as": self.note.reading}
        printed = [(name, Html(escape(text, quote=False))) for name, text in texts.items() if text]
        printed += [("in words", self.summary), ("source", self.source)]
        return html_table(printed, title=Html(f"<strong>{escape(self.id)}</strong>"))

    def bind(self, net: FeedForward) -> "Claim":
        """The same claim about a given network."""
        return replace(self, net=net)

    def check(self, digits: int = 30, depth: int = 10**6, evidence: Verification | None = None) -> Verification:
        """Decide the claim; `evidence` is a verification of the corresponding law that was already made.

        Numbers decide, so a network with symbols in it leaves every claim unknown.  `digits` and `depth` are those of
        such a verification: a claim of the ledger has its own.
        """
        symbols = set() if self.net is None else self.net.statement.parameters
        if symbols:
            undone = undecided("the claim in numbers", f"needs numbers for {symbol_names(symbols)}")
            return Verification(self.summary, (undone,))
        found = Verification(self.summary, ()) if self.decide is None else self._about(self.decide)
        for stated in self.stated():
            found = together(found, stated.with_evidence(evidence).verify())
        return within(self.note, found)

    def stated(self) -> tuple:
        """The printed formulas as objects, about the network where they are about one and the claim is bound to it."""
        return () if self.formulas is None else self._about(self.formulas)

    def _about(self, work: Callable):
        bound = self.net is not None and "network" in signature(work).parameters
        return work(StatedNetwork.around(self.net)) if bound else work()

    @property
    def formula(self) -> str:
        """The printed formulas as the checks read them, in LaTeX, made of the objects that are checked."""
        return r",\quad ".join(stated.latex for stated in self.stated())

    def severity(self, found: Verification) -> str:
        """How serious this verdict is; '' for a claim that holds as printed."""
        return severity_of(self.note, found)

    def record(self, found: Verification | None = None, formula: bool = True) -> dict:
        """As plain data: what is printed, what the note says, and its verification with its severity.

        `formula`: with the printed formula as the checks read it.
        """
        record = {"id": self.id, "statement": self.statement, "source": self.source, "summary": self.summary}
        told = {key: text for key, text in asdict(self.note).items() if text and key != "severity"}
        told |= {"trust": "Coq"} if self.note.coq else {}
        if found is None:
            return {**record, **told}
        told |= {"formula": self.formula} if formula and self.formulas is not None else {}
        return {**record, **found.record(), "severity": self.severity(found), **told}


def together(one: Verification, two: Verification) -> Verification:
    """Both as one, proved where both are; the second's corrected statement counts for the first's."""
    corrected, checks = one.corrected or two.corrected, (*one.checks, *two.checks)
    if one.corrected and two.corrected:
        corrected = together(one.corrected, two.corrected)
    if one.checks and two.checks and {one.verdict, two.verdict} != {"proved"}:
        checks = tuple(replace(check, decides=False) for check in checks)
    return Verification(one.subject, checks, corrected)
