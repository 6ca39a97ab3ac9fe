"""Claims decided one after the other or in several processes, as plain dictionaries, and kept for the next time."""

import time
import warnings
from collections.abc import Iterator
from itertools import groupby

from asympt import kept
from asympt.evidence.check import Check, Verification

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
    found = _decisions(left, listed, digits, depth, evidence, jobs, formula)
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


def _decisions(claims, listed: dict, digits: int, depth: int, evidence, jobs: int, formula: bool) -> Iterator[dict]:
    if jobs == 1 or not claims:
        yield from (checked_claim(claim, digits, depth, evidence, formula) for claim in claims)
    else:
        yield from _in_processes(claims, listed, digits, depth, jobs)


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
