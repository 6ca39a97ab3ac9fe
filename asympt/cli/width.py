"""`asympt width`: how wide is wide enough; the laws of order 1/n of a network, and how deep they let it be."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.boundary import say
from asympt.cli.reading import USUAL, Chosen, check_output, whole, with_network
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.showing import Waiting

NAMES = {"gap": "1 - c", "ntk": "NTK(x,x')", "ntk-diagonal": "NTK(x,x)", "kernel-diagonal": "NNGP(x,x)"}
NETWORKS = "one", "mean"
Width = Annotated[str, typer.Option("--width", metavar="NUMBER", help="n, the neurons of every layer.")]
Within = Annotated[str, typer.Option("--within", metavar="SHARE", help="How near a law has to be: 10% or 1/10.")]
Check = Annotated[str | None, opt.number("Compare with this many random networks.", "--check")]
Figure = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="A figure: .png, .pdf or .svg.")]


@with_network
def width(
    activation: opt.ActivationName, chosen: Chosen = USUAL, width: Width = "256", depth: opt.Depth = "20",
    correlation: opt.Correlation = "1/10", variances: opt.Variances = None, within: Within = "10%", check: Check = None,
    output: Figure = None, printed: opt.Reported = opt.ReportFormat.TEXT, budget: opt.Budget = None,
) -> None:
    """How wide is wide enough: fluctuations and mean shifts of order 1/n, and the depths to which laws hold.

    To first order in 1/n, for one network and for the mean over networks; --check compares with random networks.
    """
    from asympt import FeedForward, plots
    from asympt.cli import display, records
    from asympt.numbers import check_depth
    from asympt.width.laws import check_width, read_share
    from asympt.width.sampling import enough, sampled

    n, layer, share = check_width(whole(width, "width")), check_depth(whole(depth, "depth")), read_share(within)
    networks = None if check is None else enough(whole(check, "check"), "check")
    check_output(output, (".png", ".pdf", ".svg"))
    if n < layer:
        raise InputError(f"width = {n} is below depth = {layer}; give a wider network, for which depth/width is small")
    net = chosen.network(activation)
    if not isinstance(net, FeedForward):
        raise InputError("asympt width is for plain feedforward networks; use net.fluctuation_law() in Python")
    start = {"correlation": correlation, **({"variances": variances} if variances else {})}
    with Waiting("following fluctuations through the layers"):
        known = [of for of in NAMES if net.activation.has_ntk or not of.startswith("ntk")]
        rows = [_row(net, of, n, layer, share, start) for of in known]
        record = {"network": records.network_record(chosen.architecture, net), "width": n, "depth": layer,
                  "within": str(share), "rows": rows, "breaks_at": _breaks_at(net, n)}  # fmt: skip
    if networks is not None:
        with Waiting(f"drawing {networks} random networks"):
            drawn = sampled(net.finite(), net.inputs("gap", **start), layer, n, networks)
        record["check"] = [row._asdict() | {
            "first_order": f"{row.first_order:.5g}", "sampled": f"{row.sampled:.5g}", "error": f"{row.error:.2g}",
            "z": f"{(row.sampled - row.first_order) / row.error:.2f}",
        } for row in drawn if row.of in NAMES]  # fmt: skip
    record["headline"] = _headline(record)
    display.answer(record, printed, _parts)
    if output is not None:
        with Waiting("drawing"):
            drawn = plots.width_figure(net, n, layer, within=share, networks=networks, **start)
            plots.save(plots.captioned(drawn, f"{net.activation.name}: {record['headline']}"), output)
        say(f"wrote {output}")


def _row(net, of: str, width: int, depth: int, share, start: dict) -> dict:
    """One quantity: its laws, how far one network and the mean are from infinite width, to which depth both hold."""
    given = start if not of.endswith("diagonal") else {k: v for k, v in start.items() if k == "variances"}
    seen = net.inputs(of, **given)
    deviation = (seen.share("variance", of, depth) / width) ** 0.5
    off = {"deviation": deviation, "shift": seen.share("mean", of, depth) / width}
    found = {"quantity": of, **{name: f"{value:.6g}" for name, value in off.items()}}
    laws = net.fluctuation_law, net.width_correction_law
    for name, derive in zip(NETWORKS, laws, strict=True):
        found |= {f"{name}_{part}": said for part, said in _law(derive, of, (width, depth), share).items()}
    return found


def _law(derive, of: str, at: tuple, share) -> dict:
    """The law, and to which depth it lets the one of infinite width hold; `at`: (width, depth)."""
    try:
        law = derive(of)
    except UnsupportedError as reason:
        return {"law": None, "none": str(reason), "per_layer": None, "depth": None}
    slope = law.per_layer
    found = {"law": str(law), "per_layer": None if slope.free_symbols else f"{float(slope):.6g}", "depth": None}
    with suppress(UnsupportedError):
        found["depth"] = str(law.valid_for(at[0], share))
    with suppress(UnsupportedError, PrecisionError):
        found["resummed"] = f"{law.resummed(*at):.6g}"
    return found


def _breaks_at(net, width: int) -> str | None:
    """The depth n/kappa, where first order stops meaning anything; None in classes without a kappa."""
    try:
        kappa = net.fluctuation_law("gap").kappa
        return None if kappa is None else str(int(width / kappa))
    except UnsupportedError:
        return None


def _headline(record: dict) -> str:
    off, shift = (float(record["rows"][0][part]) for part in ("deviation", "shift"))
    said = "one network is not the law" if off > Fraction(record["within"]) else "one network follows the law"
    return (
        f"{said}: at width {record['width']} and depth {record['depth']} its 1 - c is off by {off:.0%}, "
        f"the mean over networks by {abs(shift):.1%}"
    )


def _parts(record: dict) -> list:
    from asympt.cli import display

    reached = {None: "-", "oo": "any"}
    cells = [
        (NAMES[r["quantity"]], r["one_law"] or "none", f"{float(r['deviation']):.1%}",
         reached.get(r["one_depth"], r["one_depth"]), r["mean_law"] or "none", f"{float(r['shift']):+.1%}",
         reached.get(r["mean_depth"], r["mean_depth"]))
        for r in record["rows"]
    ]  # fmt: skip
    share = f"within {float(100 * Fraction(record['within'])):.3g}% to L"
    heads = ("quantity", "n Var/limit^2", "one network", share, "n (E/limit - 1)", "mean", "to L")
    parts = [display.network_line(record["network"]), "", record["headline"], "", display.table(heads, cells)]
    whys = [(r["quantity"], r.get(f"{name}_none")) for r in record["rows"] for name in NETWORKS]
    parts += [f"{NAMES[of]}: {why}" for of, why in whys if why]
    if record["breaks_at"]:
        parts.append(f"The expansion breaks where kappa L/n is about 1: at L = n/kappa = {record['breaks_at']}.")
    parts += [f"{NAMES[r['quantity']]} at leading order for a fixed depth/width: one network is off by "
              f"{float(r['one_resummed']) ** 0.5:.1%}, the mean by {float(r['mean_resummed']):+.1%}"
              for r in record["rows"] if {"one_resummed", "mean_resummed"} <= r.keys()]  # fmt: skip
    laws = (row[f"{name}_law"] or "" for row in record["rows"] for name in NETWORKS)
    parts += display.where([*heads, "kappa" if record["breaks_at"] else "", *laws])
    what = {"variance": "n Var", "mean": "n (E - limit)"}
    return parts + [
        f"  {NAMES[row['of']]}, layer {row['layer']}: {what[row['what']]} = {row['sampled']} +- {row['error']} by "
        f"random networks, {row['first_order']} to first order (z = {row['z']})"
        for row in record.get("check", ())
    ]
