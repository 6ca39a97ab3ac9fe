"""How an object shows itself: one line in a list, a small table on a notebook's page, text in LaTeX; and bars."""

import re
import sys
import threading
import time
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 160  # characters of one line
COLOURS = {"proved": "#1a7f37", "checked": "#1a7f37", "unknown": "#b26a00", "refuted": "#d1242f"}
LETTERS = {
    "sigma_w": r"\sigma_w", "sigma_b": r"\sigma_b", "sigma_v": r"\sigma_v", "q": "q", "alpha": r"\alpha",
    "kappa": r"\kappa",
    "weight_variance": "C_W", "bias_variance": "C_b", "weight_rate": r"\lambda_W", "bias_rate": r"\lambda_b",
}  # fmt: skip
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"$\$$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
}  # fmt: skip
_SET = re.compile("[\x20-\x7eÀ-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ‘’“”–—…\n]")  # characters that the fonts of a document have
_SIGNS = {"≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "→": r"\to ", "∞": r"\infty ", "·": r"\cdot ",
          "×": r"\times ", "±": r"\pm ", "−": "-", "∈": r"\in ", "√": r"\surd ", "∇": r"\nabla ", "∂": r"\partial ",
          "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ", "‖": r"\| ", "′": "'", "ℓ": r"\ell ", "§": r"\S "}  # fmt: skip
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (FINAL )?([A-Z]+)")
_LATIN = ("ALPHA", "BETA", "EPSILON", "ZETA", "ETA", "IOTA", "KAPPA", "MU", "NU", "RHO", "TAU", "CHI", "OMICRON")
_CELL = "text-align:left;vertical-align:top;padding:0.25em 0.8em 0.25em 0"


class Html(str):
    """A cell that is HTML already."""


def one_line(kind: str, said: str) -> str:
    """Kind(said), with the middle left out when it is long.

    >>> one_line("Law", "x" * 300)[:20], len(one_line("Law", "x" * 300))
    ('Law(xxxxxxxxxxxxxxxx', 160)
    """
    said, room = " ".join(said.split()), LONGEST - len(kind) - 2
    if len(said) > room:
        half = (room - 5) // 2
        said = f"{said[: room - 5 - half]} ... {said[-half:]}"
    return f"{kind}({said})"


def formula(latex: str) -> Html:
    r"""A formula that the page typesets at full size.

    >>> formula("c^1<1")
    '$\\displaystyle c^1&lt;1$'
    """
    return Html(rf"$\displaystyle {escape(latex, quote=False)}$")


def latex_text(text: str) -> str:
    r"""The text in LaTeX, its special characters made harmless, signs that the fonts lack as formulas or by their code.

    >>> latex_text("10^-5 & A_N, σ ≤ x², 鸟")
    '10\\textasciicircum{}-5 \\& A\\_N, $\\sigma $ $\\le $ x$^{2}$, [U+9E1F]'
    """
    lines = re.sub(r"\s*\n\s*\n\s*", "\n", text.expandtabs(4))  # a paragraph cannot end inside a command
    return "".join(_special(sign) if _SET.match(sign) else _in_words(sign) for sign in lines)


def latex_sign(sign: str) -> str:
    r"""A letter or sign beyond ASCII in a formula; '' for one that has no command: \sigma, ^{2}, \le."""
    greek, plain = _GREEK.fullmatch(unicodedata.name(sign, "")), unicodedata.normalize("NFKD", sign)
    if greek is not None and not (greek[1] == "CAPITAL" and greek[3] in _LATIN):
        name = {"LAMDA": "lambda", "OMICRON": "o"}.get(greek[3], greek[3].lower())
        return name if name == "o" else rf"\{name if greek[1] == 'SMALL' else name.capitalize()} "
    raised = {"<super>": "^{%s}", "<sub>": "_{%s}"}.get(unicodedata.decomposition(sign).partition(" ")[0])
    if raised and plain.isascii():
        return raised % plain
    return _SIGNS.get(sign, "")


def _in_words(sign: str) -> str:
    """A sign in a text: as a formula, by its plain letters, or by its code."""
    if unicodedata.category(sign) in ("Cc", "Cf"):
        return ""
    plain = "".join(c for c in unicodedata.normalize("NFKD", sign) if c.isascii())
    return f"${made}$" if (made := latex_sign(sign)) else "".join(map(_special, plain)) or f"[U+{ord(sign):04X}]"


def _special(sign: str) -> str:
    return _SPECIAL.get(sign, sign)


def html_table(rows: Iterable[Sequence], headings: Sequence[str] = (), title: object = "") -> str:
    """A table: cells are text, `Html`, or a verdict, which gets its colour.

    >>> html_table([("a < b", "refuted")]).count("#d1242f")
    1
    """
    head = "".join(f'<th style="{_CELL}">{escape(heading)}</th>' for heading in headings)
    lines = [f"<tr>{head}</tr>"] if head else []
    lines += ["<tr>" + "".join(f'<td style="{_CELL}">{_cell(cell)}</td>' for cell in row) + "</tr>" for row in rows]
    above = f"<p>{_cell(title)}</p>" if title else ""
    return f'<div class="asympt">{above}<table style="border-collapse:collapse">{"".join(lines)}</table></div>'


def verdict(word: str) -> Html:
    return Html(f'<strong style="color:{COLOURS.get(word, "inherit")}">{escape(word)}</strong>')


def _cell(cell) -> str:
    if isinstance(cell, Html):
        return cell
    return verdict(cell) if cell in COLOURS else escape(str(cell), quote=False).replace("$", "&#36;")


# ---- progress of long work, on a terminal -----------------------------------------------------------

PATIENCE = 1.0  # seconds of silence at the start


class Reporter:
    """Bars on a terminal after a while, erased at the end; an instance is called as ``reporter(name, done, total)``.

    >>> with Reporter() as report:
    ...     report("float64 at depth", 10, 100)
    """

    def __init__(self):
        self._bar, self._tasks, self._start = None, {}, time.monotonic()

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, name: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of `name` are done."""
        if self._bar is None:
            if not sys.stderr.isatty() or time.monotonic() - self._start < PATIENCE:
                return
            self._bar = _bar()
            self._bar.start()
        if name not in self._tasks:
            for earlier in self._bar.tasks:  # work is done in order
                self._bar.update(earlier.id, completed=earlier.total)
            self._tasks[name] = self._bar.add_task(name, total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)


def _bar():
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    columns += (Elapsed(), TextColumn("about"), Remaining(), TextColumn("left"))
    shared = sys.stdout.isatty()  # results printed meanwhile go above the bar on a terminal, and to their file else
    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=shared)


class Waiting:
    """A context manager for work of unknown length: after a while a spinner on a terminal.

    >>> with Waiting("deriving"):
    ...     pass
    """

    def __init__(self, name: str):
        self._name, self._spinner = name, None
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> "Waiting":
        self._timer.start()
        return self

    def __exit__(self, *exception) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._spinner is not None:
            self._spinner.stop()

    def _show(self) -> None:
        if not sys.stderr.isatty():
            return
        from rich.console import Console

        self._spinner = Console(stderr=True).status(f"{self._name} ...")
        self._spinner.start()
