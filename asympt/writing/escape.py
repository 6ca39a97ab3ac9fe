"""Plain text as LaTeX text, its formulas as formulas."""

import re

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
}  # fmt: skip
_GREEK = "alpha|beta|gamma|delta|lambda|kappa|sigma|chi|psi|xi|zeta"
_FORMULA = re.compile(
    rf"({_GREEK}|[a-z])'?\(\w'*\)\S*|\S*[\w)][\^_]\S*|\S*log\(\w\)\S*|[B-HJ-Zb-z]'?|-?1/[a-z]|qL|\S*[A-Zf]'*\(\w'*\)\S*|\S*\|\S*|(1/)?({_GREEK})'?(/({_GREEK}))?"
)
_SPELLED = (
    (re.compile(r"\^\(([^()]*)\)"), r"^{\1}"),
    (re.compile(r"\^(-?\d+)"), r"^{\1}"),
    (re.compile(r"\^inf\b"), r"^{\\infty}"),
    (re.compile(r"sqrt\((\w+)\)"), r"\\sqrt{\1}"),
    (re.compile(rf"(?<![A-Za-z])(log|sup|Theta|{_GREEK})(?![A-Za-z])"), r"\\\1 "),
)
_NUMBER = re.compile(r"-?\d+(/\d+)?|q/\d+|-?sqrt\(\w+\)(/\d+)?")
_SIGN = re.compile(r"[-+=*/]")


def escape(text: str) -> str:
    r"""The text with LaTeX's special characters made harmless.

    >>> escape("10^-5 & A_N")
    '10\\textasciicircum{}-5 \\& A\\_N'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def with_formulas(text: str) -> str:
    r"""The text, with runs of formula-like words (letters with indices, single letters, signs between) as mathematics.

    >>> with_formulas("C = A(t_l) - l is constant from c^1 = 1/10")
    '$C = A(t_l) - l$ is constant from $c^{1} = 1/10$'
    >>> with_formulas("P(x') = lambda(x) P(x) + b(x): shortfall of the order")
    "$P(x') = \\lambda (x) P(x) + b(x)$: shortfall of the order"
    """
    shown, run = [], []
    for word in [*text.split(" "), ""]:
        bare = word.rstrip(",;:")
        if bare and any(pattern.fullmatch(bare) for pattern in (_FORMULA, _NUMBER, _SIGN)):
            run.append(bare)
            if bare == word:
                continue
            shown += _close(run, word[len(bare) :])
        else:
            shown += [*_close(run, ""), escape(word)]
        run = []
    return " ".join(shown).rstrip()


def _close(run: list[str], mark: str) -> list[str]:
    """A finished run: mathematics if it holds a formula, otherwise words."""
    if not run:
        return []
    if any(_FORMULA.fullmatch(word) for word in run) and not _SIGN.fullmatch(run[-1]):
        return [f"${_formula(' '.join(run))}${mark}"]
    return [escape(" ".join(run)) + mark]


def _formula(text: str) -> str:
    """A formula as one types it in plain text, in LaTeX."""
    for pattern, latex in _SPELLED:
        text = pattern.sub(latex, text)
    return text
