"""What the material of every document about a network starts from: one law, and the law of the correlation."""

from dataclasses import dataclass
from functools import cached_property

from asympt.errors import InputError
from asympt.recursions import Law

LAWS = ("ntk", "correlation")


@dataclass(frozen=True)
class LawMaterial:
    """One law of one network; `terms` and `digits` as the user asked."""

    net: object
    name: str
    terms: int = 4
    digits: int = 30

    def __post_init__(self):
        if self.name not in LAWS:
            raise InputError(f"law = {self.name!r} is not a law of this network; known are {', '.join(LAWS)}")

    @cached_property
    def law(self) -> Law:
        """The law that the document is about."""
        return self.net.ntk_law(terms=self.terms) if self.is_ntk else self.correlation

    @cached_property
    def correlation(self) -> Law:
        """The law of 1 - c^l."""
        return self.net.correlation_law(terms=self.terms)

    @property
    def is_ntk(self) -> bool:
        """Whether the document is about the NTK; the correlation law is part of it then."""
        return self.name == "ntk"
