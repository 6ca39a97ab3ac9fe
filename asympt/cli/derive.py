"""`asympt derive`: a law as text, as LaTeX, as JSON or as a document."""


from asympt.cli import options as opt
from asympt.cli.architectures import law_of, network, start_of
from asympt.cli.boundary import called, say
from asympt.cli.parsing import check_output, counts, options_of


def derive(
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
    correlation: opt.Correlation = None,
    variance: opt.Variance = None,
    position: opt.Position = None,
    depth: opt.OptionalDepth = None,
    digits: opt.Digits = "30",
    printed: opt.Printed = None,
    output: opt.Output = None,
    budget: opt.Budget = None,
) -> None:
    """Derive a law, step by step; with -o as a document.

    With --correlation also its constants, and with --depth the number there.
    """
    count, figures, layer = counts(terms, digits, depth)
    if output is not None:
        check_output(output, (".tex", ".pdf"))
    net = network(architecture, activation, sigma_w, sigma_b, options_of(option, slope, right, left), parameter)
    if output is not None:
        _require_document(net, law)
    found = law_of(net, law, count)
    start = start_of(found, law, {"correlation": correlation, "variance": variance, "position": position}, depth)
    if output is None or printed is not None:
        record = _derivation(architecture, net, found, count)
        if start is not None:
            from asympt.cli import records

            record["value"] = records.value_at(found, layer, figures, start)
        _print_derivation(record, found, printed or opt.Format.TEXT)
    if output is not None:
        _write(net, law, count, output, figures)


def _require_document(net, law: str) -> None:
    from asympt.writing.document import require_document

    require_document(net, str(law))


def _derivation(architecture: str, net, law, terms: int) -> dict:
    from asympt.cli import records

    return {
        "network": records.network_record(architecture, net),
        "map": None if law.of_variance else _map_of(net, terms),
        "law": records.law_record(law, terms),
    }


def _map_of(net, terms: int) -> dict | None:
    """The correlation map; None for a network that has another one in every layer."""
    from asympt.cli import records
    from asympt.errors import UnsupportedError

    try:
        return records.map_record(net, terms)
    except UnsupportedError:
        return None


def _print_derivation(record: dict, law, how: opt.Format) -> None:
    from asympt.cli import display

    title = display.network_line(record["network"])
    lines = display.stability_fields(record["network"])
    lines += [] if record["map"] is None else display.map_fields(record["map"])
    display.show_law(record, law.latex() + display.latex_condition(law), how, title,
                     lines + display.law_fields(record["law"], "t_l", "l"))


def _write(net, law: str, terms: int, path, digits: int) -> None:
    from asympt.cli.progress import Reporter
    from asympt.writing import write

    with Reporter() as progress:
        write(
            net, law=str(law), terms=terms, path=path, digits=digits, progress=progress, command=called()
        )
    say(f"wrote {path}")
