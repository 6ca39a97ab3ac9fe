"""The folder: the lemmas of `asympt/kernel/coq`, the law (`law.v`, filled in), and how to compile them."""

from fractions import Fraction
from importlib.resources import files
from math import ceil
from pathlib import Path
from string import Template

from sympy import Poly, Rational, horner

from asympt.errors import InputError, UnsupportedError
from asympt.kernel.two_terms import KIND
from asympt.recursions.proofs.coq.formulas import AT, COQ, Formula, at_0, constant, rational, text
from asympt.recursions.proofs.coq.numbers import FULL, T, TaylorData, constant_at, defect, fits

MORE = 6  # derivatives beyond the least number, tried where K leaves little room
BITS, PIECES = 64, 64  # of the first layers; of (0, r] for the domains
ROOTS = {1: "{}", 2: "sqrt {}"}
README = """The theorems at the end of @name.v, made by asympt from a proof object, for Coq 8.16 with the libraries
Interval, Coquelicot and Flocq (Debian: apt-get install coq libcoq-interval libcoq-coquelicot libcoq-flocq).
Compile with

    make

The last lines that it prints name what the theorems rest on: four axioms of Coq's real numbers and classical logic.
"""


class _CoqTemplate(Template):
    delimiter = "@"


def write_coq(proof: dict, folder, name: str = "TheLaw") -> Path:
    """Writes a proof object as a folder that `make` compiles on its own; the file with the theorems.

    Raises
    ------
    UnsupportedError : a kind of theorem, or a map, for which there is no Coq proof yet.
    InputError : the folder is a file.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder for the Coq files")
    own = {f"{name}.v": law_text(proof), "README": _CoqTemplate(README).substitute(name=name)}
    folder.mkdir(parents=True, exist_ok=True)
    lemmas = {each.name: each.read_text() for each in (files("asympt.kernel") / "coq").iterdir() if each.is_file()}
    for file, content in (lemmas | own).items():
        (folder / file).write_text(content)
    return folder / f"{name}.v"


def law_text(proof: dict) -> str:
    """The theorem of a proof object as a Coq file that uses the lemmas.

    Raises `UnsupportedError` as `write_coq` does.
    """
    if proof["kind"] != KIND:
        raise UnsupportedError(f"no Coq proof of a theorem of the kind {proof['kind']!r}; only {KIND!r} has one")
    formula = Formula(proof["map"])
    J = min(proof["J"], ceil((proof["k"] + proof["m"]) / proof["m"]))
    taylor, P, phi = _with_room(formula, proof, J)
    template = (files(__package__) / "law.v").read_text()
    fields = _data(proof, J) | _derivatives(taylor) | _values(taylor) | {"map": formula.coq, "mape": formula.ex}
    fields |= {"P": _polynomial(P), "phi": rational(phi), "v": text(taylor.v), "y0": rational(taylor.y0)}
    fields |= dict(zip(("tlo", "thi"), map(rational, taylor.theta), strict=True))
    return _CoqTemplate(template).substitute(fields | _ends(formula, proof))


def _with_room(formula: Formula, proof: dict, J: int):
    """The least number of derivatives with which samples of the defect fit into the room that K leaves."""
    least = proof["k"] + 2 * proof["m"] + 1
    for degree in range(least, least + MORE):
        taylor = TaylorData(formula, proof["m"], Rational(proof["range"]), degree)
        P, phi = defect(taylor.v, proof, J), 1 / ((J + 1) * (1 - taylor.y0))
        if fits(P, taylor, proof, phi):
            return taylor, P, phi
    where = f"K = {proof['K']} on (0, {proof['range']}]"
    raise UnsupportedError(f"no Coq proof with {where}: the defect fills more than {FULL:.0%} of its bound")


def _polynomial(P) -> str:
    return text(horner(Poly(P, T))) if P.has(T) else text(P)


def _data(proof: dict, J: int) -> dict:
    """What is a number of the proof object, as Coq's number and as an `ex`."""
    m, rho = proof["m"], Fraction(proof["rho"])
    real = {name: proof[name] for name in ("start", "alpha", "rho", "K", "B", "b", "W", "range")} | {"l1": rho / m**2}
    found = {name: rational(value) for name, value in real.items()}
    found |= {f"{name}e": constant(value) for name, value in real.items()}
    found |= {"m": m, "k": proof["k"], "J": J, "first": proof["from"], "last": proof["N"], "absrho": rational(abs(rho))}
    root = ROOTS.get(m, f"Rpower {{}} (/ INR {m})")
    return found | {"root_al": root.format(f"({found['alpha']} / INR n)"), "root_n": root.format("(INR n)")}


def _ends(formula: Formula, proof: dict) -> dict:
    """The enclosure of the constant at the last layer, and how precisely it is computed."""
    both = dict(zip(("clo", "chi"), constant_at(formula, proof), strict=True))
    ends = {name: rational(value) for name, value in both.items()} | {f"{n}e": constant(x) for n, x in both.items()}
    return ends | {"prec": BITS, "pieces": PIECES}


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
        lemmas.append(f"Lemma at{j} : d{j} 0 = {rational(value)}. Proof. unfold d{j}; {known}field; lra. Qed.")
    return {"values": "\n".join(lemmas), "rewritten": ", ".join(f"at{j}" for j in range(taylor.degree))}


def _fact(atom) -> str:
    """The name in Coq's library of what the function is where it is known."""
    return f"{COQ[atom.function]}_{AT[atom.function][0]}"
