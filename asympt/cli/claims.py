"""`asympt claims`: statements of the literature, listed and checked as printed."""

import sys
from collections.abc import Iterator
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from textwrap import indent
from typing import Annotated

import typer

from asympt import spelling
from asympt.cli import options as opt
from asympt.cli.boundary import PASSING, Reporter, called, say
from asympt.cli.reading import check_output, whole
from asympt.errors import InputError

app = typer.Typer(help="List and check claims from the literature.", no_args_is_help=True)
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a report: .md, .html, .tex or .pdf.")
]
Asked = Annotated[
    list[str] | None, typer.Argument(metavar="[ID]...", help="Ids, or a .toml file of claims; all if left out.")
]
Jobs = Annotated[str, typer.Option("--jobs", "-j", metavar="NUMBER", help="Number of processes.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Decide all claims anew, also those decided before.")]
Source = Annotated[str | None, typer.Option("--source", metavar="TEXT", help="Only claims whose source contains it.")]


@app.command("list")
def list_claims(source: Source = None, printed: opt.Reported = opt.ReportFormat.TEXT) -> None:
    """The claims that can be checked."""
    from asympt.cli import display

    listed = [claim.record() for claim in _claims([], source)]
    display.answer(listed, printed, lambda told: [
        display.table(("id", "claim", "source"), [(claim["id"], claim["summary"], claim["source"]) for claim in told]),
        *display.where(claim["source"] for claim in told),
    ])  # fmt: skip


@app.command("check")
def check_claims(
    ids: Asked = None,
    source: Source = None,
    digits: opt.Digits = "30",
    depth: opt.Depth = "1e6",
    printed: opt.Reported = opt.ReportFormat.TEXT,
    report: Report = None,
    jobs: Jobs = "1",
    fresh: Fresh = False,
) -> None:
    """Check claims as printed, each shown as soon as it is decided.

    An ID may be the common beginning of several ids, such as HDR.T1, or a file with claims of your own, my_paper.toml.
    Verdicts of the same code are kept.  Exit code 0 if every claim is proved or checked, 1 otherwise.
    """
    from asympt.arrays import whole as at_least
    from asympt.cli import deciding
    from asympt.cli.deciding import Decided
    from asympt.numbers import check_depth, check_digits

    chosen = _some(_claims(ids or [], source), source)
    if report is not None:
        from asympt.writing.report import ENDINGS, write_report

        check_output(report, ENDINGS)
    figures, layers = check_digits(whole(digits, "digits")), check_depth(whole(depth, "depth"))
    processes = at_least(whole(jobs, "jobs"), "jobs", "the number of processes, 1 for none besides this one")
    with Reporter() as progress:
        decided = Decided(figures, layers, fresh)
        found = deciding.checked_claims(chosen, figures, layers, progress, jobs=processes, decided=decided)
        done = _shown(found) if printed == opt.ReportFormat.TEXT else _streamed(found)
    if printed == opt.ReportFormat.TEXT:
        from asympt.cli import display
        from asympt.writing.ledger import summary

        display.show(summary(done), *display.where(record["source"] for record in done))
    if report is not None:
        write_report(done, report, called())
        say(f"wrote {report}")
    raise typer.Exit(0 if all(record["verdict"] in PASSING for record in done) else 1)


def _shown(records: Iterator[dict]) -> list[dict]:
    """Print every record as it comes, as text; all of them."""
    from asympt.cli import display

    done = []
    with closing(records):
        for record in records:
            display.show(*display.claim_parts(record), "")
            done.append(record)
    return done


def _streamed(records: Iterator[dict]) -> list[dict]:
    """Print every record as it comes, as the next entry of one JSON array, closed whatever happens; all of them."""
    from asympt.cli.records import to_json

    done = []
    try:
        with closing(records):
            for record in records:
                typer.echo(("," if done else "[") + "\n" + indent(to_json(record), "  "), nl=False)
                sys.stdout.flush()
                done.append(record)
    finally:
        typer.echo("\n]" if done else "[]")
    return done


def _claims(ids: list[str], source: str | None) -> list:
    import asympt

    known = {claim.id: claim for claim in asympt.claims.all_claims()}
    papers = [claim for name in ids if name.endswith(".toml") for claim in asympt.claims.read_paper(name)]
    asked = [name for name in ids if not name.endswith(".toml")]
    names = known if not ids else dict.fromkeys(one for name in asked for one in _matching(name, list(known)))
    chosen = [*papers, *(known[name] for name in names)]
    return [claim for claim in chosen if source is None or source.lower() in claim.source.lower()]


def _matching(name: str, known: list[str]) -> list[str]:
    """The id `name`; else the ids that it begins, preferably up to a dot or a dash.

    >>> _matching("HDR.T1", ["HDR.T1.rate", "HDR.T10.rate", "HDR.T1-b"])
    ['HDR.T1.rate', 'HDR.T1-b']
    """
    name = spelling.meant(name, known) or name
    begun = [one for one in known if name and one.lower().startswith(name.lower())]
    whole_parts = [one for one in begun if not one[len(name) :][:1].isalnum()]
    found = [name] if name in known else whole_parts or begun
    if not found:
        near = get_close_matches(name.upper(), {one.upper(): one for one in known}, n=3)
        near = [one for one in known if one.upper() in near]
        listed = f"`asympt claims list` shows the {len(known)} there are"
        meant = f"did you mean {' or '.join(near)}?" if near else listed
        raise InputError(f"no claim is named {name!r} or begins with it; {meant}")
    return found


def _some(chosen: list, source: str | None) -> list:
    """An error when nothing is left to check."""
    if not chosen:
        raise InputError(
            f"no selected claim has a source that contains {source!r}; `asympt claims list` shows them with their "
            "sources, such as 'HDR Theorem 1'"
        )
    return chosen
