"""Run fuzz cases outside pytest.

python -m tests.fuzz expressions parabolic 137            one case, with its traceback
python -m tests.fuzz expressions parabolic 0 2000         a range of seeds, failures in one line each
python -m tests.fuzz expressions                          every family, its default seeds
"""

import sys
import time

from tests.fuzz.families import FAMILIES
from tests.fuzz.harness import sweep


def main(words: list[str]) -> int:
    """The exit code: 1 when a case failed."""
    fuzzer, name = (*words, None, None)[:2]
    chosen = [f for f in FAMILIES if fuzzer in (None, f.fuzzer) and name in (None, "all", f.name)]
    if len(words) == 3:
        print(chosen[0].once(int(words[2])))
        return 0
    failed = 0
    for family in chosen:
        seeds = range(int(words[2]), int(words[3])) if len(words) == 4 else range(family.default)
        begun = time.process_time()
        report = sweep(family, seeds, tell=lambda line: print(line, flush=True))
        failed += len(report.failures)
        print(
            f"{family.fuzzer} {family.name}: {dict(report.outcomes)}, values {report.share:.0%}, "
            f"{time.process_time() - begun:.1f} s, slowest {report.slowest[0]:.1f} s ({report.slowest[1]})",
            flush=True,
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
