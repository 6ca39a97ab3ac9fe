"""`asympt claims`: statements of the literature, listed and checked as printed."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import Annotated

import typer

from asympt import kept, spelling
from asympt.cli import options as opt
from asympt.cli.boundary import PASSING, called, say
from asympt.cli.reading import check_output, whole
from asympt.errors import InputError
from asympt.showing import Reporter

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
    ids: Asked = None, source: Source = None, digits: opt.Digits = "30", depth: opt.Depth = "1e6",
    printed: opt.Reported = opt.ReportFormat.TEXT, report: Report = None, jobs: Jobs = "1", fresh: Fresh = False,
) -> None:
    """Check claims as printed, each shown as soon as it is decided.

    An ID may be the common beginning of several ids, such as HDR.T1, or a file with claims of your own, my_paper.toml.
    Verdicts of the same code are kept.  Exit code 0 if every claim is proved or checked, 1 otherwise.
    """
    from asympt.arrays import whole as at_least
    from asympt.numbers import check_depth, check_digits

    chosen = _claims(ids or [], source)
    if not chosen:
        raise InputError(
            f"no selected claim has a source that contains {source!r}; `asympt claims list` shows them with their "
            "sources, such as 'HDR Theorem 1'"
        )
    if report is not None:
        from asympt.writing.report import ENDINGS, write_report

        check_output(report, ENDINGS)
    figures, layers = check_digits(whole(digits, "digits")), check_depth(whole(depth, "depth"))
    processes = at_least(whole(jobs, "jobs"), "jobs", "the number of processes, 1 for none besides this one")
    with Reporter() as progress:
        decided = Decided(figures, layers, fresh)
        found = checked_claims(chosen, figures, layers, progress, jobs=processes, decided=decided)
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


# ---- claims decided one after the other or in several processes, as plain dictionaries, and kept ---------------------

TOGETHER = 8  # claims of one subject that one process decides


def checked_claim(claim, digits: int, depth: int, evidence=None, formula: bool = True) -> dict:
    """A claim with its verification; one whose decision fails is unknown, with the error, and costs no other its own.

    `evidence` is the verification of the NTK law, if it was made already; `formula`: with the printed formula as the
    checks read it, which may take the laws of other networks.
    """
    begun = time.process_time()
    try:
        record = claim.record(claim.check(digits=digits, depth=depth, evidence=evidence), formula)
    except Exception as error:
        from asympt.evidence.check import Check, Verification

        told = f"{type(error).__name__}: {' '.join(str(error).split())}"
        undone = Verification(claim.summary, (Check("the claim decided", told, "-", None),))
        record = {**claim.record(undone), "error": told}
    return {**record, "seconds": round(time.process_time() - begun, 2)}


def checked_claims(claims, digits: int, depth: int, progress, evidence=None, jobs: int = 1, decided=None, formula=True):
    """Every claim with its verification as soon as it is there, in the order of the claims, in `jobs` processes.

    `decided`: the store of those of the catalogue that were decided before (`Decided`), or None;
    `formula`: as for one claim, in one process.
    """
    from asympt.claims import all_claims

    listed = {claim.id: claim for claim in all_claims()}
    stored = [decided is not None and listed.get(claim.id) is claim for claim in claims]
    before = [decided.get(claim.id) if known else None for claim, known in zip(claims, stored, strict=True)]
    left = [claim for claim, record in zip(claims, before, strict=True) if record is None]
    found = (checked_claim(claim, digits, depth, evidence, formula) for claim in left)
    if jobs > 1 and left:
        found = _in_processes(left, listed, digits, depth, jobs)
    progress("claims from the literature", 0, len(claims))
    try:
        for index, (known, record) in enumerate(zip(stored, before, strict=True), 1):
            if record is None:
                record = next(found)
                if known:
                    decided.put(record)
            progress("claims from the literature", index, len(claims))
            yield record
    finally:
        found.close()


def _in_processes(claims, listed: dict, digits: int, depth: int, jobs: int) -> Iterator[dict]:
    """Claims of the catalogue in processes of their own, handed over by id: their decisions are closures."""
    from joblib import Parallel, delayed  # slow to import, and one process does without

    pool = Parallel(n_jobs=min(jobs, len(claims)), return_as="generator", batch_size=1)
    handed = ([one.id if listed.get(one.id) is one else one for one in group] for group in _neighbours(claims, jobs))
    results = pool(delayed(_found_and_checked)(group, digits, depth) for group in handed)
    try:
        for found in results:
            yield from found
    finally:
        with warnings.catch_warnings(action="ignore"):  # joblib warns that it cancels what is left: so it should
            results.close()


def _neighbours(claims, jobs: int) -> Iterator[list]:
    """Claims one after the other that are decided in one file; no more of them than leave work for every process."""

    def subject(claim) -> str:
        return getattr(claim.decide or claim.formulas, "__module__", "")

    most = max(1, min(TOGETHER, len(claims) // (2 * jobs)))
    for _, grouped in groupby(claims, subject):
        group = list(grouped)
        yield from (group[k : k + most] for k in range(0, len(group), most))


def _found_and_checked(group: list, digits: int, depth: int) -> list[dict]:
    """`group`: claims of a file, or ids of those in the catalogue."""
    from asympt.claims import find

    return [checked_claim(find(one) if isinstance(one, str) else one, digits, depth) for one in group]


class Decided:
    """The records for some settings; `fresh`: none is read, all are written."""

    def __init__(self, digits: int, depth: int, fresh: bool = False):
        self.settings, self.fresh = f"{digits}-{depth}", fresh

    def get(self, name: str) -> dict | None:
        """The record of a claim, if it was decided before."""
        return None if self.fresh else kept.get("claims", f"{name} {self.settings}")

    def put(self, record: dict) -> None:
        """Keep a record without an error."""
        if "error" not in record:
            kept.put("claims", f"{record['id']} {self.settings}", record)
