"""The commands about one law: `asympt derive`, `verify`, `prove`, `simulate`, and `recursion`, without a network."""

import json
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from asympt.architectures.registry import usual_law
from asympt.cli import options as opt
from asympt.cli.boundary import PASSING, called, say
from asympt.cli.reading import USUAL, Chosen, check_output, counts, law_of, start_of, whole, with_network
from asympt.deadline import limited
from asympt.errors import InputError, UnsupportedError
from asympt.showing import Reporter, Waiting


@with_network
def derive(
    activation: opt.ActivationName, law: opt.WhichLaw = None, chosen: Chosen = USUAL, terms: opt.Terms = "4",
    correlation: opt.Correlation = None, variance: opt.Variance = None, variances: opt.Variances = None,
    position: opt.Position = None, depth: opt.OptionalDepth = None, digits: opt.Digits = "30",
    printed: opt.Printed = None, output: opt.Output = None, checks: opt.Checks = True, budget: opt.Budget = None,
) -> None:
    """Derive a law, step by step; with -o as a document.

    With --correlation also its constants, and with --depth the value at that layer.
    """
    count, figures, layer = counts(terms, digits, depth)
    check_output(output, (".tex", ".pdf"))
    net = chosen.network(activation)
    law = law or usual_law(net)
    if output is not None:
        from asympt.writing.document import require_document

        require_document(net, str(law))
    found = law_of(net, law, count, correlation)
    given = {"correlation": correlation, "variance": variance, "variances": variances, "position": position}
    start = start_of(found, law, given, depth)
    if output is None or printed is not None:
        from asympt.cli import display

        record = _derivation(chosen.architecture, net, found, count, layer, figures, start)
        lines = display.stability_fields(record["network"])
        lines += [] if record["map"] is None else display.map_fields(record["map"])
        lines += display.law_fields(record["law"], "t_l", "l")
        display.show_law(record, found, printed, display.network_line(record["network"]), lines)
    if output is not None:
        from asympt.writing import write

        with Reporter() as progress:
            asked = {"digits": figures, "checks": checks, "progress": progress, "correlation": correlation}
            write(net, law=str(law), terms=count, path=output, command=called(), **asked)
        say(f"wrote {output}")


def _derivation(architecture: str, net, law, terms: int, depth: int | None, digits: int, start: dict | None) -> dict:
    """The law, the correlation map where every layer has the same, and the numbers of a start."""
    from asympt.cli import records

    record = {"network": records.network_record(architecture, net), "map": None}
    if not law.of_variance:
        with suppress(UnsupportedError):  # a network that has another map in every layer
            record["map"] = records.map_record(net, terms)
    record["law"] = records.law_record(law, terms)
    return record if start is None else {**record, "value": records.value_at(law, depth, digits, start)}


# ---- `asympt verify`: a law against the recursion it was derived from, and the claims about it -------------------


CLAIM_DEPTH = 10**5  # enough to refute a rate; the law itself is followed to the requested depth


@with_network
def verify(
    activation: opt.ActivationName, law: opt.WhichLaw = None, chosen: Chosen = USUAL, terms: opt.Terms = "4",
    correlation: opt.Correlation = None, digits: opt.Digits = "30", depth: opt.Depth = "1e6",
    workers: opt.Workers = "1", theorem: opt.Theorem = True, printed: opt.Reported = opt.ReportFormat.TEXT,
    budget: opt.Budget = None,
) -> None:
    """Verify a law, and check what papers claim of it.

    The law is compared with the original recursion, iterated (from --correlation where it is given).
    Exit code 0 if the law is proved or checked, 1 if it is refuted or unknown.
    """
    from asympt.cli import display, records
    from asympt.depth.parsing import workers_of

    count, figures, layers = counts(terms, digits, depth)
    processes = workers_of(whole(workers, "workers"))
    net = chosen.network(activation)
    law = law or usual_law(net)
    found = law_of(net, law, count, correlation)
    start = start_of(found, law, {"correlation": correlation}, None) or {}
    checked = _verification(found, start, figures, layers, processes, theorem, printed == opt.ReportFormat.JSON)
    record = {"network": records.network_record(chosen.architecture, net), **checked}
    display.answer(record, printed, _verified)
    raise typer.Exit(0 if record["verdict"] in PASSING else 1)


def _verification(law, start, digits: int, depth: int, workers: int, theorem: bool, formulas: bool) -> dict:
    """The law's verification and those of the claims about it; `formulas`: with the claims' printed formulas."""
    import asympt
    from asympt.cli.claims import checked_claims

    with Reporter() as progress:
        verification = asympt.verify(
            law, digits=digits, depth=depth, progress=progress, workers=workers, theorem=theorem, **start
        )
        evidence = verification if law.name == "ntk" else None  # what a corrected rate of the NTK is held against
        about = asympt.claims.for_law(law)
        layers = min(depth, CLAIM_DEPTH)
        checked = list(checked_claims(about, digits, layers, progress, evidence, formula=formulas))
    named = {"name": law.name, "quantity": law.quantity, "plain": law.plain, "text": str(law), "latex": law.latex()}
    return {"law": named, **verification.record(), "claims": checked}


def _verified(record: dict) -> list:
    """The verification for people."""
    from asympt.cli import display

    law = f"{record['law']['plain']} = {record['law']['text']}"
    parts = [display.network_line(record["network"])]
    said = display.stability_fields(record["network"])
    parts += [display.fields(said)] if said else []
    named = (formula for check in record["checks"] for formula in check["marked"].split("$")[1::2])
    parts += display.verification_parts(law, record)
    parts += display.where([law, record.get("theorem", {}).get("statement", ""), *named])
    parts += ["", *display.where(claim["source"] for claim in record["claims"])]
    for claim in record["claims"]:
        parts += ["", *display.claim_parts(claim)]
    return parts


# ---- `asympt prove`: a law as a theorem, with a constant that is proved ------------------------------------------


Interval = Annotated[
    str | None,
    typer.Option("--correlation", "-c", metavar="NUMBER|LOW..HIGH",
                 help="c^1, or an interval on which the theorem is uniform: -1..9/10."),
]  # fmt: skip
VarianceInterval = Annotated[
    str | None,
    typer.Option("--variance", metavar="NUMBER|LOW..HIGH",
                 help="q^1, the variance in layer 1, for laws that start from it; or an interval."),
]  # fmt: skip
ValidFrom = Annotated[str, typer.Option("--valid-from", metavar="DEPTH", help="Depth from which the bound must hold.")]


@with_network
def prove(
    activation: opt.ActivationName, law: opt.WhichLaw = None, chosen: Chosen = USUAL, terms: opt.Terms = "2",
    correlation: Interval = None, variance: VarianceInterval = None, variances: opt.Variances = None,
    position: opt.Position = None, valid_from: ValidFrom = "2", printed: opt.Printed = None, output: opt.Output = None,
    coq: opt.CoqFolder = None, budget: opt.Budget = None,
) -> None:
    """Prove a law: a constant B with |quantity - law| <= B monomial, for every depth.

    The proof is in ball arithmetic, uniform in an interval of starts where one is given; with -o as a document, or as
    FILE.json, the proof object that `asympt check FILE.json` verifies.
    """
    count, *_ = counts(terms, "30", None)
    given = {"correlation": correlation, "variance": variance, "variances": variances, "position": position}
    if all(value is None for value in given.values()):
        raise InputError("a theorem is about a start; add --correlation, for example --correlation -1..9/10")
    check_output(output, (".tex", ".pdf", ".json"))
    net = chosen.network(activation)
    law = law or usual_law(net)
    found = law_of(net, law, count, correlation)
    certificate = certified(found, valid_from, coq, **start_of(found, law, given, None))
    from asympt.cli import display, records

    about = {"network": records.network_record(chosen.architecture, net)}
    deliver(display.network_line(about["network"]), about, certificate, printed, output, coq, net)


def interval_of(text: str):
    """One number, or the two ends of LOW..HIGH.

    >>> interval_of("-1..9/10"), interval_of("1/10")
    (('-1', '9/10'), '1/10')
    """
    ends = tuple(part.strip() for part in text.split(".."))
    if len(ends) > 2 or not all(ends[:-1] + ends[1:]):
        raise InputError(f"{text!r} is not an interval LOW..HIGH; give two numbers, as in 1/10..9/10")
    return ends[0] if len(ends) == 1 else ends


def certified(law, valid_from: str, coq: Path | None, **start):
    """The theorem of a law for a start, or an interval LOW..HIGH of them; one for Coq where `coq` is a folder."""
    from asympt.recursions.proofs.coq import require_coq

    if coq is not None:
        require_coq(law)
    starts = {name: interval_of(value) if isinstance(value, str) else value for name, value in start.items()}
    with Waiting("proving the law"):
        return law.certificate(whole(valid_from, "valid_from"), **starts)


def deliver(title: str, about: dict, certificate, printed: opt.Format | None, output, coq, subject) -> None:
    """Prints a theorem about what `title` and the record `about` say, or writes its proof (as Coq files), or both.

    `subject`: the network or the recursion.
    """
    if (output is None and coq is None) or printed is not None:
        _print_theorem(title, about, certificate, printed)
    if coq is not None:
        certificate.to_coq(coq)
        say(f"wrote {coq}; `make` in it has Coq check the theorem")
    if output is not None:
        _write_proof(certificate, output, subject)


def _print_theorem(title: str, about: dict, certificate, how: opt.Format | None) -> None:
    from asympt.cli import display, records

    if how == opt.Format.JSON:
        typer.echo(records.to_json({**about, "certificate": certificate.to_json()}))
        return
    if how == opt.Format.LATEX:
        typer.echo(certificate.latex())
        return
    rows = [(s.name, s.shows.replace("**", "^"), s.listed) for s in certificate.steps]
    display.show(
        title, "", display.heading("Theorem", ", ", "proved", certificate.proved.removeprefix("proved")),
        certificate.statement, "",
        display.table(("step", "shows", "figures"), rows), *display.where([certificate.statement]),
    )  # fmt: skip


def _write_proof(certificate, path, subject) -> None:
    """A document, or with the ending .json the proof object."""
    from asympt import saving
    from asympt.writing.proof import write_proof

    with Waiting("writing the proof"):
        if path.suffix == ".json":
            saving.write({path: (json.dumps(certificate.to_proof(), indent=1) + "\n").encode()})
        else:
            write_proof(certificate, path, called(), subject)
    say(f"wrote {path}")


ProofFile = Annotated[Path, typer.Argument(metavar="FILE", help="A proof object, from `asympt prove -o FILE.json`.")]


def check(file: ProofFile) -> None:
    """Check a proof object, by the kernel alone, and print the theorem that it proves.

    Exit code 0 where it is proved, 1 where something is not shown, 2 where the file is no proof object.
    """
    from asympt import kernel

    try:
        theorem = kernel.check(kernel.loads(file.read_text(encoding="utf-8", errors="replace")))
    except kernel.NotShown as reason:
        typer.echo(f"refused: {reason}")
        raise typer.Exit(1) from None
    except kernel.BadFile as reason:
        raise InputError(f"{str(file)!r}: {reason}") from None
    typer.echo(f"proved: {theorem}")


# ---- `asympt simulate`: the layer recursion of an architecture against random networks of finite width -----------


Widths = Annotated[str, typer.Option(metavar="N,N", help="Neurons per layer; several widths are extrapolated.")]
Error = Annotated[str | None, opt.number("Standard error relative to the diagonal [default: 0.01; convnets 0.05].")]


@with_network
def simulate(
    activation: opt.ActivationName, chosen: Chosen = USUAL, depth: opt.Depth = "4", widths: Widths = "128,256",
    standard_error: Error = None,
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Seed of the random numbers.")] = "0",
    workers: opt.Workers = "1", printed: opt.Reported = opt.ReportFormat.TEXT, budget: opt.Budget = None,
) -> None:
    """Draw random networks, forward and backward, and compare their NNGP kernel and NTK with the layer recursion.

    Exit code 0 if the recursion agrees with the networks, 1 if it is refuted.
    """
    from asympt.numbers import positive

    given = {
        "depth": whole(depth, "depth"),
        "widths": tuple(whole(text, "widths") for text in widths.split(",")),
        "standard_error": None if standard_error is None else float(
            positive(standard_error, "standard_error", "a relative error such as 0.01")),
        "seed": 0 if seed.strip() == "0" else whole(seed, "seed"),
        "workers": whole(workers, "workers"),
    }  # fmt: skip
    from asympt.cli import display, records
    from asympt.evidence.referee import referee

    net = chosen.network(activation)
    with Reporter() as progress:
        found = referee(net, progress=progress, **given).record()
    record = {"network": records.network_record(chosen.architecture, net), **found}
    display.answer(record, printed, lambda told: [
        display.network_line(told["network"]), *display.verification_parts(told["subject"], told),
        *(f"{check['name']}: {check['detail']}" for check in told["checks"]),
    ])  # fmt: skip
    raise typer.Exit(0 if record["verdict"] in PASSING else 1)


# ---- `asympt recursion`: the law of x -> G(x), no network needed -------------------------------------


class Approach(StrEnum):
    """From where the orbit approaches the fixed point."""

    ABOVE = "above"
    BELOW = "below"


Expression = Annotated[
    str, typer.Argument(metavar="EXPRESSION", help="G(x), for example 'sin(x)'; put -- before a leading minus.")
]
FixedPoint = Annotated[
    str | None, opt.number("Fixed point of G; oo is infinity [default: searched for].", "--fixed-point")
]
WhichSide = Annotated[Approach, typer.Option("--side", help="The side from which the orbit approaches.")]
Observed = Annotated[
    str | None, typer.Option("--of", metavar="EXPRESSION", help="The law of this function of x_n, for example '1/x'.")
]
Start = Annotated[str | None, opt.number("x_0; with --prove also an interval LOW..HIGH.", "--start")]
Steps = Annotated[str | None, typer.Option("--depth", metavar="NUMBER", help="Number of steps from x_0.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the law by routes that its derivation does not use.")]
Prove = Annotated[
    bool,
    typer.Option("--prove", help="A theorem for --start: B with |x_n - law| <= B monomial for every n; -o: its proof."),
]


def recursion(
    expression: Expression, fixed_point: FixedPoint = None, side: WhichSide = Approach.ABOVE, of: Observed = None,
    terms: opt.Terms = "4", start: Start = None, depth: Steps = None, digits: opt.Digits = "30", verify: Verify = False,
    prove: Prove = False, printed: opt.Printed = None, output: opt.Output = None, coq: opt.CoqFolder = None,
    checks: opt.Checks = True, budget: opt.Budget = None,
) -> None:
    """The law of x -> G(x) near a fixed point, no network needed.

    A law whose orbits change sides for ever (multiplier -1) has one branch for even and one for odd n; --start decides
    which is which.  With --start also its constant, and with --depth the number x_n after n = depth steps; with -o as a
    document.
    """
    for name, given in (("depth", depth), ("prove", prove or None)):
        if given is not None and start is None:
            raise InputError(f"{name} = {given} needs a start; add --start, for example --start 1")
    if coq is not None and not prove:
        raise InputError("--coq writes the proof of a theorem; add --prove")
    if prove and (depth is not None or verify):
        raise InputError("--prove prints one theorem; ask for --depth and --verify by themselves")
    count, figures, steps = counts(terms, digits, depth)
    check_output(output, (".tex", ".pdf", ".json") if prove else (".tex", ".pdf"))
    from asympt.parsing import X
    from asympt.recursions import Recursion

    with Waiting("deriving the law"):
        map_ = Recursion(expression, X, fixed_point, str(side))
        found = map_.law(count, of)
    if prove:
        with limited("proving the law"):
            certificate = certified(found, "2", coq, start=start)
        about = {"map": expression.strip(), **_map_record(map_, found)}
        return deliver(_title(about), about, certificate, printed, output, coq, map_)
    if start is not None and not found.parameters:
        found = found.for_start(start)
    from asympt.cli import records

    with limited("writing out the law"):
        record = {"map": expression.strip(), **_map_record(map_, found), "law": records.law_record(found, count)}
    _answer(record, map_, found, steps, figures, start, verify, printed, output, checks)


LETTERS = ("x", "y", "z", "u", "v", "w")
Maps = Annotated[
    list[str],
    typer.Argument(metavar="MAP MAP ...", help="The images of x, y, z, u, v, w, one formula for each variable used."),
]
Point = Annotated[
    str | None, typer.Option("--fixed-point", metavar="NUMBERS", help="The fixed point, such as 0,0 [default: 0].")
]
StartPoint = Annotated[str | None, typer.Option("--start", metavar="NUMBERS", help="x_0, y_0, ..., such as 3/10,1/5.")]


def system(
    maps: Maps, fixed_point: Point = None, side: WhichSide = Approach.ABOVE, of: Observed = None,
    terms: opt.Terms = "4", start: StartPoint = None, depth: Steps = None, digits: opt.Digits = "30",
    verify: Verify = False, printed: opt.Printed = None, output: opt.Output = None, checks: opt.Checks = True,
    budget: opt.Budget = None,
) -> None:
    """The law of a system (x', y') = (F, G) near a fixed point with one slowest direction, neutral or contracting.

    With --start also its constant, and with --depth the value after that many steps; --of 'x*y' gives the law of x*y;
    with -o as a document.
    """
    if depth is not None and start is None:
        raise InputError(f"depth = {depth} needs a start; add --start, for example --start 3/10,1/5")
    if len(maps) > len(LETTERS):
        raise InputError(f"{len(maps)} maps need more letters than {', '.join(LETTERS)}; use System in Python")
    count, figures, steps = counts(terms, digits, depth)
    check_output(output, (".tex", ".pdf"))
    from asympt.cli import records
    from asympt.recursions.system import System

    names = LETTERS[: len(maps)]
    with Waiting("deriving the law"):
        map_ = System(maps, names, fixed_point, str(side))
        found = map_.law(count, of)
    text = ", ".join(f"{name} -> {image.strip()}" for name, image in zip(names, maps, strict=True))
    record = {
        "map": text, "expression": str(map_.maps), "fixed_point": str(map_.fixed_point), "side": map_.side,
        "kind": found.kind, "multiplier": str(map_.multipliers[0][0]), "law": records.law_record(found, count),
    }  # fmt: skip
    _answer(record, map_, found, steps, figures, start, verify, printed, output, checks)


def _title(record: dict) -> str:
    text = record["map"].replace("**", "^")
    return f"{'' if '->' in text else 'x -> '}{text}, fixed point {record['fixed_point']}: {record['kind']}"


def _map_record(map_, law) -> dict:
    return {
        "expression": str(map_.expression),
        "fixed_point": str(map_.fixed_point),
        "side": map_.side if law.kind != "flip" else "above" if law.fixed.sign > 0 else "below",
        "kind": map_.kind,
        "multiplier": str(map_.multiplier),
    }


def _answer(
    record: dict, map_, law, steps: int | None, digits: int, start: str | None, verify: bool, printed, output, checks
) -> None:
    """Adds the numbers of a start and the checks to a record, prints it, writes the document, and ends."""
    import asympt
    from asympt.cli import display, records

    if start is not None:
        record["value"] = records.value_at(law, steps, digits, {"start": start})
    if verify:
        with Reporter() as progress:
            found = asympt.verify(law, digits=digits, start=start, progress=progress)
        record["verification"] = found.record()
    if output is None or printed is not None:
        display.show_law(record, law, printed, _title(record), display.law_fields(record["law"], "x_n", "n"))
        if verify and printed in (None, opt.Format.TEXT):
            subject = f"{record['law']['plain']} = {record['law']['text']}"
            display.show("", *display.verification_parts(subject, record["verification"]))
    if output is not None:
        from asympt.writing import write_recursion

        with Reporter() as progress:
            asked = {"depth": steps, "digits": digits, "checks": checks, "progress": progress, "command": called()}
            write_recursion(map_, law, output, start=start, **asked)
        say(f"wrote {output}")
    if verify and record["verification"]["verdict"] not in PASSING:
        raise typer.Exit(1)
