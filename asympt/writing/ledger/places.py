"""Where a claim stands in its source: the order in which a reader meets it.

Rule.  A source has landmarks, in its own order; a claim stands at the longest one that its place begins with, and there
by the numbers that follow.  A numbered equation is a landmark by itself.

Tiny case.

>>> place = [f"HDR {name}" for name in ("Theorem 2", "App. B.1, bullet 5", "Theorem 1, item 1", "App. B.1, bullet 2")]
>>> sorted(place, key=position)
['HDR Theorem 1, item 1', 'HDR Theorem 2', 'HDR App. B.1, bullet 2', 'HDR App. B.1, bullet 5']

Known limits.  What stands nowhere in the list comes last.
"""

import re

_ORDER = {
    "HDR": """Sec. 3.1; Lemma 1; Sec. 3.1, after Lemma 1; Lemma 2; Proposition 1; Sec. 4.1 and App. B.2, Proposition
        1; Sec. 4.1; Sec. 4.1, Edge of Chaos; Definition 1; Sec. 4.1, remark before Proposition 2; Proposition
        2; Theorem 1; Sec. 4.1 after Theorem 1; Lemma 3; Lemma 4; Theorem 2; Sec. 4.2; Proposition 3; Sec. 4.2,
        Proposition 3; Proposition 4; Sec. 5; Sec. 6; Sec. 6, Table 1; Sec. 6.1; Sec. 6.2; Sec. 6.3; App. A;
        Appendix Lemma 1; App. B.1; App. B.1, bullet; App. B.1, CNN; App. B.1, Appendix Lemma 2; App. B.1, proof
        of Appendix Lemma 2; Appendix Lemma 2; App. B.1, Appendix Lemma 3; Appendix Lemma 3; App. B.2; App. B.2,
        proof of Proposition 1; App. B.2, Appendix Lemma 4; Appendix Lemma 4; App. B.2, proof of Proposition 2;
        App. B.2, Appendix Lemma 5; App. B.2, proof of Appendix Lemma 5; Appendix Lemma 5; App. B.2, Appendix
        Lemma 6; App. B.2, proof of Appendix Lemma 6; Appendix Lemma 6; App. B.2, proof of Theorem 1; App. B.2,
        proof of Theorem 1, Case 2; App. B.3; App. B.3, proof of Lemma 3; App. B.3, proof of Lemma 4; App. B.3,
        Appendix Lemma 7; App. B.3, proof of Appendix Lemma 7; Appendix Lemma 7; App. B.3, proof of Theorem 2;
        App. B.3, Appendix Lemma 8; App. B.3, proof of Appendix Lemma 8; Appendix Lemma 8; App. B.3, proof of
        Proposition 3; App. B.3, after the proof of Proposition 3; App. C""",
    "XPS": """Setup; Recap: NNGP; Recap: Neural Tangent Kernel; closed-form training dynamics; Maximum feasible; Two
        kinds; Recursive Correlation; Ordered / Chaotic; Dynamics in terms; Define epsilon; Chaotic regime;
        Chaotic regime, 2.a; Chaotic regime, 2.b; Chaotic regime, NNGP; Chaotic regime, Spectrum; Chaotic
        Regime: Generalization; Ordered regime; Ordered regime:; Ordered regime, spectrum; Ordered regime:
        finite-depth; Ordered regime: Sherman-Morrison; Ordered regime: predictive; Experiments""",
    "JGH": """Notation; Random Initialization; Loss; Gradient Flow; Neural Tangent Kernel; An Easier Setting; NTK and
        Gradient Flow; Function Space Dynamics; Infinite-Width Limit; Consequences; Closed Form Solution (I);
        Training an Infinitely-Wide; Kernel Ridge; Recap; Theorem 2; NTK at Initialization; Theorem 3; Base
        Case; Induction Step; proof of Theorem 3; All in All; Time-independence; Theorem 4; proof sketch of
        Theorem 4; NTK Animation; Discussion; Closed Form Solution (II); Closed Form Solution (III)""",
    "TBG": """the network; Residual Networks; More Notation; Recall: For f an MLP; Recall the NNGP; NNGP for ResNet;
        proof of the NNGP, L = 1; proof of the NNGP; NTK for ResNet; Time-Invariance; Smoothness measure; Smoothness of
        Interpolant, Lemma; Smoothness of Interpolant; Smoothness of Interpolant MLP; Experiments""",
}  # fmt: skip
_EQUATIONS = {"footnote 33": 78.5, "footnote 37": 95.5, "footnote 40": 104.5, "section 10.2.3": 36.5}  # of PDLT
LAST = 1e9
LANDMARKS = {name: [" ".join(mark.split()) for mark in text.split(";")] for name, text in _ORDER.items()}


def position(source: str) -> tuple:
    """What the places of one source are sorted by."""
    name, _, place = source.partition(" ")
    place = place.removeprefix("slides, ")
    equation = re.search(r"\(10\.(\d+)\)", place) if name == "PDLT" else None
    if equation is not None:
        return (float(equation[1]), ())
    marks = LANDMARKS.get(name, [])
    mark = max((mark for mark in marks if place.startswith(mark)), key=len, default="")
    near = (rank for words, rank in _EQUATIONS.items() if name == "PDLT" and words in place)
    rank = marks.index(mark) if mark else next(near, LAST)
    return (float(rank), tuple(int(digits) for digits in re.findall(r"\d+", place[len(mark) :])))
