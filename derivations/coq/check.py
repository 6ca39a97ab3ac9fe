"""Have Coq check the theorems of this folder, from the lemmas of asympt/kernel/coq on.

    python derivations/coq/check.py [FOLDER]        compiles in FOLDER, which is kept, or in a new one

Exit code 1 where a file does not compile, leaves a proof open or states an axiom, or where a theorem rests on anything
but the axioms below: those of Coq's real numbers, and classical logic.  Needs Coq 8.16 (`coqc`) with Interval,
Coquelicot and Flocq.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEMMAS = HERE.parents[1] / "asympt" / "kernel" / "coq"
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
OPEN = re.compile(r"\b(admit|Admitted|Abort|Axioms?|Parameters?|Conjecture|bypass_check|Unset \w+ Checking)\b")
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


def left_open(text: str) -> list[str]:
    """The words with which a file would prove less than it says.

    >>> left_open("(* no Axiom *) Lemma a : False. Admitted.")
    ['Admitted']
    """
    return OPEN.findall(COMMENT.sub("", text))


def assumed(output: str) -> list[set[str]]:
    """What each `Print Assumptions` in Coq's output names.

    >>> assumed("coqc A.v\\nAxioms:\\nClassical_Prop.classic : forall P : Prop, ..\\nx\\n  : nat\\ncoqc B.v")
    [{'Classical_Prop.classic', 'x'}]
    """
    blocks = re.findall(r"^Axioms:\n((?:(?!coqc |Axioms:|make).*\n?)*)", output, re.MULTILINE)
    return [set(re.findall(r"^(\S+)", block, re.MULTILINE)) for block in blocks]


def problems(folder: Path) -> list[str]:
    """What is wrong with the files of a folder that has been filled, after `make`."""
    laws = sorted(path.name for path in HERE.glob("*.v") if "Print Assumptions" in path.read_text())
    found = [f"{path.name}: {word}" for path in sorted(folder.glob("*.v")) for word in left_open(path.read_text())]
    for law in laws:
        (folder / law).with_suffix(".vo").unlink(missing_ok=True)  # so that it prints its axioms
    made = subprocess.run(["make", "-j2", "-Otarget"], cwd=folder, capture_output=True, text=True)
    print(made.stdout, made.stderr)
    if made.returncode:
        return [*found, "coqc refuses a file"]
    blocks = assumed(made.stdout)
    if len(blocks) != len(laws):
        found.append(f"{len(laws)} files of theorems and {len(blocks)} lists of axioms")
    return found + [f"a theorem rests on {name}" for block in blocks for name in sorted(block - AXIOMS)]


def main() -> int:
    """The command."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*LEMMAS.iterdir(), *HERE.glob("*.v")]:
        there = folder / path.name
        if not there.exists() or there.read_bytes() != path.read_bytes():
            shutil.copy(path, there)
    found = problems(folder)
    print("\n".join(found) or "Coq accepts every theorem; each rests on the four axioms and on nothing else.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
