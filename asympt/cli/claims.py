"""`asympt claims`: statements of the literature, listed and checked as printed."""

from pathlib import Path
from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.boundary import PASSING, say
from asympt.cli.reading import whole
from asympt.errors import InputError

app = typer.Typer(help="List and check claims of the literature.", no_args_is_help=True)
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a report: .md, .html, .tex or .pdf.")
]
Source = Annotated[str | None, typer.Option("--source", metavar="TEXT", help="Only claims whose source contains it.")]


@app.command("list")
def list_claims(source: Source = None, printed: opt.Reported = opt.ReportFormat.TEXT) -> None:
    """The claims that can be checked."""
    from asympt.cli import display, records

    listed = [records.claim_record(claim) for claim in _claims([], source)]
    if printed == opt.ReportFormat.JSON:
        typer.echo(records.to_json(listed))
        return
    rows = [(claim["id"], claim["summary"], claim["source"]) for claim in listed]
    display.show(display.table(("id", "claim", "source"), rows))


@app.command("check")
def check_claims(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Which; all when none is given.")] = None,
    source: Source = None,
    digits: opt.Digits = "30",
    depth: opt.Depth = "1e6",
    printed: opt.Reported = opt.ReportFormat.TEXT,
    report: Report = None,
) -> None:
    """Check claims as printed.  Exit code 0 if every one is proved or checked, 1 otherwise."""
    from asympt.cli import display, records
    from asympt.cli.progress import Reporter
    from asympt.numbers import check_depth, check_digits

    chosen = _claims(ids or [], source)
    if report is not None:
        _check_report(report)
    figures, layers = check_digits(whole(digits, "digits")), check_depth(whole(depth, "depth"))
    with Reporter() as progress:
        done = records.checked_claims(chosen, figures, layers, progress)
    if report is not None:
        _write_report(done, report)
    if printed == opt.ReportFormat.JSON:
        typer.echo(records.to_json(done))
    else:
        parts = [part for record in done for part in (*display.claim_parts(record), "")]
        display.show(*parts, _summary(done))
    raise typer.Exit(0 if all(record["verdict"] in PASSING for record in done) else 1)


def _summary(records: list[dict]) -> str:
    from asympt.writing.report import summary

    return summary(records)


def _check_report(path: Path) -> None:
    from asympt.writing.report import check_path

    check_path(path)


def _write_report(records: list[dict], path: Path) -> None:
    from asympt.writing.report import write_report

    write_report(records, path)
    say(f"wrote {path}")


def _claims(ids: list[str], source: str | None) -> list:
    """The claims asked for, in the order asked for."""
    import asympt

    known = {claim.id: claim for claim in asympt.claims.all_claims()}
    for name in ids:
        if name not in known:
            raise InputError(f"there is no claim {name!r}; `asympt claims list` shows the {len(known)} there are")
    chosen = [known[name] for name in ids] if ids else list(known.values())
    return [claim for claim in chosen if source is None or source.lower() in claim.source.lower()]
