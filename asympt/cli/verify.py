"""`asympt verify`: a law against the recursion it was derived from, and the claims about it."""

import typer

from asympt.cli import options as opt
from asympt.cli.architectures import law_of, network
from asympt.cli.boundary import PASSING
from asympt.cli.parsing import counts, options_of, whole

CLAIM_DEPTH = 10**5  # enough to refute a rate; the law itself is followed as far as asked


def verify(
    activation: opt.ActivationName,
    law: opt.WhichLaw = opt.NTK,
    architecture: opt.Network = opt.FEEDFORWARD,
    parameter: opt.Parameters = None,
    option: opt.ActivationOptions = None,
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    sigma_w: opt.SigmaW = None,
    sigma_b: opt.SigmaB = "0",
    terms: opt.Terms = "4",
    digits: opt.Digits = "30",
    depth: opt.Depth = "1e6",
    workers: opt.Workers = "1",
    theorem: opt.Theorem = True,
    printed: opt.Reported = opt.ReportFormat.TEXT,
    budget: opt.Budget = None,
) -> None:
    """Verify a law, and check what papers claim of it.

    The law is held against the original recursion, iterated.
    Exit code 0 if the law is proved or checked, 1 if it is refuted or unknown.
    """
    from asympt.cli.records import network_record
    from asympt.depth.parsing import workers_of

    count, figures, layers = counts(terms, digits, depth)
    processes = workers_of(whole(workers, "workers"))
    net = network(architecture, activation, sigma_w, sigma_b, options_of(option, slope, right, left), parameter)
    found = law_of(net, law, count)
    for_machines = printed == opt.ReportFormat.JSON
    checked = _verification(found, figures, layers, processes, theorem, for_machines)
    record = {"network": network_record(architecture, net), **checked}
    _print_verification(record, printed)
    raise typer.Exit(0 if record["verdict"] in PASSING else 1)


def _verification(law, digits: int, depth: int, workers: int, theorem: bool, formulas: bool) -> dict:
    """The law's verification and those of the claims about it; `formulas`: with the claims' printed formulas."""
    import asympt
    from asympt.cli import deciding, records
    from asympt.cli.progress import Reporter

    with Reporter() as progress:
        verification = asympt.verify(
            law, digits=digits, depth=depth, progress=progress, workers=workers, theorem=theorem
        )
        evidence = verification if law.name == "ntk" else None  # what a corrected rate of the NTK is held against
        about = asympt.claims.for_law(law)
        layers = min(depth, CLAIM_DEPTH)
        checked = list(deciding.checked_claims(about, digits, layers, progress, evidence, formula=formulas))
    named = {"name": law.name, "quantity": law.quantity, "plain": law.plain, "text": str(law), "latex": law.latex()}
    return {"law": named, **records.verification_record(verification), "claims": checked}


def _print_verification(record: dict, how: opt.ReportFormat) -> None:
    from asympt.cli import display, records

    if how == opt.ReportFormat.JSON:
        typer.echo(records.to_json(record))
        return
    law = f"{display.quantity(record['law'])} = {record['law']['text']}"
    parts = [display.network_line(record["network"])]
    said = display.stability_fields(record["network"])
    parts += [display.fields(said)] if said else []
    parts += display.verification_parts(law, record)
    for claim in record["claims"]:
        parts += ["", *display.claim_parts(claim)]
    display.show(*parts)
