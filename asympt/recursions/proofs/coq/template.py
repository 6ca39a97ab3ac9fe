"""Templates of Coq files, and the lemmas about a map that all of them begin with (`map.v`)."""

from importlib.resources import files
from string import Template

from sympy import Expr, Poly, horner

from asympt.recursions.proofs.coq.formulas import AT, COQ, at_0, rational, text
from asympt.recursions.proofs.coq.numbers import T, TaylorData

DEEPEST = 30


class _CoqTemplate(Template):
    delimiter = "@"


def filled(name: str, fields: dict) -> str:
    """A template of this folder with its fields filled in."""
    return _CoqTemplate((files(__package__) / name).read_text()).substitute(fields)


def polynomial(value: Expr, variable=T) -> str:
    """For Coq, as few multiplications as Horner's rule needs; a sum where that would be nested too deeply."""
    if not value.has(variable) or Poly(value, variable).degree() > DEEPEST:
        return text(value)
    return text(horner(Poly(value, variable)))


def about_map(taylor: TaylorData, rises: str) -> dict:
    """The lemmas about the map; `rises` proves that its derivative is >= 0."""
    fields = _derivatives(taylor) | _values(taylor) | {"rises": rises, "series": text(taylor.series)}
    return {"lemmas": filled("map.v", fields)} | dict(zip(("tlo", "thi"), map(rational, taylor.theta), strict=True))


def _derivatives(taylor: TaylorData) -> dict:
    """d0 = g, d1 = g', .."""
    names = [f"d{j}" for j in range(taylor.degree + 1)]
    named = zip(names, map(text, taylor.derivatives), strict=True)
    lines = [f"Definition {name} (x : R) : R := {value}." for name, value in named]
    cases = [f"{j} => {name}" for j, name in enumerate(names[:-1])]
    return {"degree": taylor.degree, "derivatives": "\n".join(lines), "unfolded": ", ".join(names),
            "cases": " | ".join([*cases, f"_ => {names[-1]}"])}  # fmt: skip


def _values(taylor: TaylorData) -> dict:
    """The lemmas about the values at 0: first of the atoms, inner ones first, then of the derivatives."""
    atoms, lemmas, known = taylor.formula.atoms.values(), [], ""
    for i, atom in enumerate(atoms):
        argument, value = AT[atom.function]
        proof = f"match goal with |- _ ?a = _ => replace a with {argument} end; [exact {_fact(atom)} | {known}field]"
        lemmas.append(f"Lemma atom{i} : {at_0(atom.symbol.name)} = {value}. Proof. {proof}. Qed.")
        known = f"rewrite ?atom{i}; {known}"
    for j, value in enumerate(taylor.at_zero):
        proof = f"unfold d{j}; {known}field; repeat split; first [lra | exact PI_neq0]"
        lemmas.append(f"Lemma at{j} : d{j} 0 = {text(value)}. Proof. {proof}. Qed.")
    return {"values": "\n".join(lemmas), "rewritten": ", ".join(f"at{j}" for j in range(taylor.degree))}


def _fact(atom) -> str:
    """The name in Coq's library of what the function is where it is known."""
    return f"{COQ[atom.function]}_{AT[atom.function][0]}"
