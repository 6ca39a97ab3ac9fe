"""`asympt width`: how wide is wide enough; the laws of order 1/n of a network, and how deep they let it be."""

from fractions import Fraction
from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.boundary import Waiting
from asympt.cli.reading import USUAL, Chosen, whole, with_network
from asympt.errors import InputError, UnsupportedError

SHOWN = ("gap", "ntk", "ntk-diagonal", "kernel-diagonal")
NAMES = {"gap": "1 - c", "ntk": "NTK(x,x')", "ntk-diagonal": "NTK(x,x)", "kernel-diagonal": "NNGP(x,x)"}
NONE = "one_none", "mean_none"  # why there is no law
Width = Annotated[str, typer.Option("--width", metavar="NUMBER", help="n, the neurons of every layer.")]
Within = Annotated[str, typer.Option("--within", metavar="SHARE", help="How near a law has to be: 10% or 1/10.")]
Check = Annotated[
    str | None, typer.Option("--check", metavar="NUMBER", help="Draw so many random networks as a referee.")
]


@with_network
def width(
    activation: opt.ActivationName,
    chosen: Chosen = USUAL,
    width: Width = "256",
    depth: opt.Depth = "20",
    correlation: opt.Correlation = "1/10",
    variances: opt.Variances = None,
    within: Within = "10%",
    check: Check = None,
    printed: opt.Reported = opt.ReportFormat.TEXT,
    budget: opt.Budget = None,
) -> None:
    """How wide is wide enough: fluctuations and mean shifts of order 1/n, and the depths to which laws hold.

    To first order in 1/n, for one network and for the mean over networks; with --check beside random networks.
    """
    from asympt import FeedForward
    from asympt.cli import display, records
    from asympt.numbers import check_depth
    from asympt.width.laws import check_width, read_share

    n, layer, share = check_width(whole(width, "width")), check_depth(whole(depth, "depth")), read_share(within)
    networks = None if check is None else whole(check, "check")
    if n < layer:
        raise InputError(f"width = {n} is smaller than depth = {layer}: first order in depth/width says nothing there")
    net = chosen.network(activation)
    if not isinstance(net, FeedForward):
        raise InputError("laws of order 1/n are known of fully connected networks; leave out --network and blocks")
    start = {"correlation": correlation, **({"variances": variances} if variances else {})}
    with Waiting("following fluctuations through the layers"):
        known = [of for of in SHOWN if net.activation.has_ntk or not of.startswith("ntk")]
        rows = [_row(net, of, n, layer, share, start) for of in known]
        record = {"network": records.network_record(chosen.architecture, net), "width": n, "depth": layer,
                  "within": str(share), "rows": rows, "breaks_at": _breaks_at(net, n)}  # fmt: skip
        if networks is not None:
            record["check"] = _checked(net, n, layer, networks, start)
    record["headline"] = _headline(record)
    if printed == opt.ReportFormat.JSON:
        typer.echo(records.to_json(record))
    else:
        display.show(*_parts(record))


def _row(net, of: str, width: int, depth: int, share, start: dict) -> dict:
    """One quantity: its laws, how far one network and the mean are from infinite width, to which depth both hold."""
    laws = {"one": net.fluctuation_law, "mean": net.width_correction_law}
    given = start if not of.endswith("diagonal") else {k: v for k, v in start.items() if k == "variances"}
    seen = net.inputs(of, **given)
    limit = seen.limit(of, depth)
    found = {
        "quantity": of,
        "deviation": f"{(seen.variance(of, depth) / width) ** 0.5 / abs(limit):.6g}",
        "shift": f"{seen.shift(of, depth) / width / limit:.6g}",
    }
    for (name, derive), off in zip(laws.items(), ("deviation", "shift"), strict=True):
        found |= _law(derive, of, name, width, share, abs(float(found[off])))
    return found


def _law(derive, of: str, name: str, width: int, share, off: float) -> dict:
    """The law, and to which depth it lets the one of infinite width hold; `off`: the share at this depth."""
    try:
        law = derive(of)
    except UnsupportedError as reason:
        return {f"{name}_law": None, f"{name}_none": str(reason), f"{name}_per_layer": None, f"{name}_depth": None}
    slope = law.per_layer
    number, reached = (None, None) if slope.free_symbols else (f"{float(slope):.6g}", law.valid_for(width, share))
    if not law.expansion.terms and off > share:  # bounded, and not by the share
        reached = None
    return {
        f"{name}_law": str(law), f"{name}_per_layer": number,
        f"{name}_depth": None if reached is None else str(reached),
    }  # fmt: skip


def _breaks_at(net, width: int) -> str | None:
    """The depth n/kappa, where first order stops meaning anything; None in classes without a kappa."""
    try:
        kappa = net.fluctuation_law("gap").kappa
    except UnsupportedError:
        return None
    return None if kappa is None else str(int(width / kappa))


def _checked(net, width: int, depth: int, networks: int, start: dict) -> list[dict]:
    from asympt.width.sampling import sampled

    found = sampled(net.finite(), net.inputs("gap", **start), depth, width, networks)
    return [
        {**row._asdict(), "first_order": f"{row.first_order:.5g}", "sampled": f"{row.sampled:.5g}",
         "error": f"{row.error:.2g}", "z": f"{(row.sampled - row.first_order) / row.error:.2f}"}
        for row in found
    ]  # fmt: skip


def _headline(record: dict) -> str:
    off, shift = (float(record["rows"][0][part]) for part in ("deviation", "shift"))
    said = "one network is not the law" if off > Fraction(record["within"]) else "one network follows the law"
    return (
        f"{said}: at width {record['width']} and depth {record['depth']} its 1 - c is off by {off:.0%}, "
        f"the mean over networks by {abs(shift):.1%}"
    )


def _parts(record: dict) -> list:
    from asympt.cli import display

    rows = [
        (NAMES[r["quantity"]], r["one_law"] or "none", f"{float(r['deviation']):.1%}", _reached(r["one_depth"]),
         r["mean_law"] or "none", f"{float(r['shift']):+.1%}", _reached(r["mean_depth"]))
        for r in record["rows"]
    ]  # fmt: skip
    share = f"within {float(Fraction(record['within'])):.3g} to L"
    heads = ("quantity", "n Var/limit^2", "one network", share, "n (E/limit - 1)", "mean", "to L")
    parts = [display.network_line(record["network"]), "", record["headline"], "", display.table(heads, rows)]
    parts += [f"{NAMES[r['quantity']]}: {r[part]}" for r in record["rows"] for part in NONE if part in r]
    if record["breaks_at"]:
        parts.append(f"The expansion breaks where kappa L/n is about 1: at L = n/kappa = {record['breaks_at']}.")
    return parts + [_check_line(row) for row in record.get("check", ())]


def _reached(depth: str | None) -> str:
    return {None: "-", "oo": "any"}.get(depth, depth)


def _check_line(row: dict) -> str:
    what = "n Var" if row["what"] == "variance" else "n (E - limit)"
    return (
        f"  {NAMES[row['of']]}, layer {row['layer']}: {what} = {row['sampled']} +- {row['error']} by random networks, "
        f"{row['first_order']} to first order (z = {row['z']})"
    )
