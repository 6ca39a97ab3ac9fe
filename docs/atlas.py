"""The atlas: a page for every activation of the catalogue and for every architecture, all of it computed.

`python docs/atlas.py [NAME ...]` writes the pages of these names; the site's build writes those that are not there yet
for this version.  A page that takes long is the law's own time: expect a quarter of an hour for all on two cores.
"""

import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sympy import Rational, latex

import asympt as asy
from asympt.architectures.registry import FLOW_TIME, find, records
from asympt.compiling import as_function
from asympt.expansions.printing import width
from asympt.expansions.typesetting import constant, tex
from asympt.plots import save, scaled_data, scaled_figure

HERE = Path(__file__).resolve().parent
BIASES = (Rational(1, 5), 0)  # standard deviations of the biases at which an Edge of Chaos is looked for
GRID = np.linspace(0.0, 2.0, 201)
BUDGET = 240  # seconds for a derivation
WIDE = 16.0  # em; a wider coefficient is told by its number alone
STARTS, DEPTHS = ("1/10", "9/10"), (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)  # of figures of architectures
LAWS = {
    "The correlation of two inputs": "correlation_law", "The neural tangent kernel": "ntk_law",
    "The kernel of one input": "ntk_diagonal_law",
}  # fmt: skip
Lines = list[str]


def write(folder: Path, names: Iterable[str] = ()) -> None:
    """The pages that are missing, or those of `names` anew, and the list of all."""
    folder.mkdir(exist_ok=True)
    made = {**{name: _activation for name in sorted(asy.catalogue())}, **{n: _architecture for n in _architectures()}}
    wanted = list(names) or [name for name in made if not _is_fresh(folder / f"{name}.md")]
    Parallel(n_jobs=2)(delayed(_page)(folder, name, made[name]) for name in wanted)
    lists = [("Activations", sorted(asy.catalogue())), ("Architectures", _architectures())]
    text = ["# Atlas", "", "Where the Edge of Chaos lies, which laws hold there, and their coefficients.", ""]
    for title, entries in lists:
        text += [f"## {title}", "", "```{toctree}", ":maxdepth: 1", "", *entries, "```", ""]
    (folder / "index.md").write_text("\n".join(text), encoding="utf-8")


def _is_fresh(path: Path) -> bool:
    return path.exists() and f"<!-- {asy.__version__} -->" in path.read_text(encoding="utf-8")


def _page(folder: Path, name: str, write_page: Callable) -> None:
    with asy.time_limit(budget=BUDGET):
        lines = write_page(folder, name)
    (folder / f"{name}.md").write_text("\n".join([*lines, "", f"<!-- {asy.__version__} -->", ""]), encoding="utf-8")


# ---- activations --------------------------------------------------------------------------------------


def _activation(folder: Path, name: str) -> Lines:
    phi = asy.activation(name)
    lines = [f"# {name}", "", "$$", rf"\phi({latex(phi.symbol)}) = {latex(phi.expression)}", "$$", ""]
    net, sigma_b, edge = _on_an_edge(name)
    lines += [edge, ""]
    lines += _figure(folder, name, phi, net)
    if net is None:
        return lines
    lines += _settled(net)
    for title, method in list(LAWS.items())[:2]:
        lines += [f"## {title}", "", *_law(getattr(net, method))]
    return [*lines, "Again, in Python and on the command line:", "", *_commands(name, sigma_b), ""]


def _on_an_edge(name: str) -> tuple:
    """(the network on its Edge of Chaos at the first of `BIASES` that has one, or None; sigma_b; what to say of it)."""
    reason = ""
    for sigma_b in BIASES:
        try:
            net = asy.FeedForward.on_edge_of_chaos(name, sigma_b=sigma_b)
        except asy.AsymptError as error:
            reason = str(error)
            continue
        return net, sigma_b, f"**Edge of Chaos** at $\\sigma_b = {latex(sigma_b)}$."
    return None, None, f"**No Edge of Chaos** at $\\sigma_b = 1/5$ or $0$: {reason}."


def _settled(net) -> Lines:
    """The numbers of the network."""
    lines = ["| | number |", "|---|---|", f"| $\\sigma_w$ | {_digits(net.sigma_w)} |"]
    try:
        lines.append(f"| $q$ | {_digits(net.variance)} |")
    except asy.UnsupportedError:
        lines.append("| $q$ | any |")
    stability = net.stability
    return [*lines, "", *([] if stability is None else [f"The variance is {stability.latex()}.", ""])]


def _digits(value) -> str:
    shown = latex(value)
    number = str(value.evalf(16))
    return f"${shown}$ = {number}" if value.is_algebraic and not value.is_Rational and len(shown) < 40 else number


def _law(derive: Callable) -> Lines:
    """A law: its formula and its coefficients as numbers, or why there is none."""
    try:
        law = derive() if derive.__name__ == "ntk_diagonal_law" else derive(terms=2)
    except asy.AsymptError as error:
        return [f"{error}.", ""]
    summary = law.summary(digits=12)
    lines = ["$$", law.latex(), "$$", "", "| term | coefficient | number |", "|---|---|---|"]
    for term in summary.terms:
        exact = constant(term.coefficient)
        lines.append(f"| ${tex(term.monomial)}$ | {f'${exact}$' if width(exact) < WIDE else ''} | {_number(term)} |")
    letters = ", ".join(f"${tex(letter)} = {digits}$" for letter, digits, _ in summary.constants)
    return [*lines, "", *([f"Here {letters}."] if letters else []), ""]


def _number(term) -> str:
    """A coefficient in numbers, the constants of the start as letters."""
    if term.number is None:
        return ""
    return f"${tex(term.number)}$" if term.number.free_symbols else term.cells[2]


def _figure(folder: Path, name: str, phi, net) -> Lines:
    """phi, and the correlation map on the Edge of Chaos where there is one."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 2.4), layout="constrained")
    panels = figure.subplots(1, 2 if net is not None else 1, squeeze=False)[0]
    x = np.linspace(-4, 4, 801)
    panels[0].plot(x, np.broadcast_to(phi.piecewise.vectorised(x), x.shape))
    panels[0].set(xlabel="x", ylabel=r"$\phi(x)$")
    if net is not None:
        gap, _ = asy.depth.pairs(net, gap=GRID, depth=2)
        panels[1].plot(1 - GRID, 1 - gap, label="f(c)")
        panels[1].plot([-1, 1], [-1, 1], "--", linewidth=0.8, label="c")
        panels[1].set(xlabel="c", ylabel="correlation map")
        panels[1].legend()
    save(figure, folder / f"{name}.png")
    return [f"![{name}]({name}.png)", ""]


def _commands(name: str, sigma_b) -> Lines:
    bias = "" if sigma_b == 0 else f" --sigma-b {sigma_b}"
    lines = ["```python", "import asympt as asy", ""]
    lines += [f'net = asy.FeedForward.on_edge_of_chaos("{name}", sigma_b="{sigma_b}")']
    lines += ["print(net.ntk_law(terms=2))", "```", ""]
    return [*lines, "```", f"asympt derive {name}{bias} --law ntk", f"asympt verify {name}{bias} --law ntk", "```"]


# ---- architectures ------------------------------------------------------------------------------------


def _architectures() -> list[str]:
    return [record.name for record in records()]


def _architecture(folder: Path, name: str) -> Lines:
    record = find(name)
    net = record.load()("relu", **{p.name: int(p.example) for p in record.parameters if p.is_needed})
    first = (type(net).__doc__ or "").strip().partition("\n")[0]
    lines = [f"# {record.class_name}", "", first, "", f"Here with ReLU{_weight(net)}.", ""]
    for title, method in LAWS.items():
        if hasattr(net, method):
            lines += [f"## {title}", "", *_law(getattr(net, method)), *_orbit(folder, name, net, method)]
    given = [(p.name, p.example) for p in record.parameters if p.is_needed]
    python = "".join(f", {key}={value}" for key, value in given)
    shell = "".join(f" -p {key}={value}" for key, value in given)
    lines += ["Again, in Python and on the command line:", "", "```python", "import asympt as asy", ""]
    lines += [f'net = asy.{record.class_name}("relu"{python})', "print(net.ntk_law(terms=2))", "```", ""]
    return [*lines, "```", f"asympt derive relu --network {name}{shell} --law ntk", "```"]


def _orbit(folder: Path, name: str, net, method: str) -> Lines:
    """The layers themselves, iterated in float64 without the law, against the terms that the law prints."""
    if method == LAWS["The kernel of one input"]:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    law, path = getattr(net, method)(terms=3), f"{name}-{method.removesuffix('_law')}.png"
    shown = [f"![The layers of a {name} against its law]({path})", ""]
    if find(name).figures == FLOW_TIME:
        save(scaled_figure(scaled_data(net, law.name, STARTS)), folder / path)
        return shown
    figure = Figure(figsize=(6.0, 3.0), layout="constrained")
    axes, smooth = figure.subplots(), np.unique(np.geomspace(DEPTHS[0], DEPTHS[-1], 200).astype(int))
    for number, start in enumerate(STARTS):
        axes.plot(DEPTHS, _measured(net, law, start), "o", markersize=4, color=f"C{number}", label=f"$c^1$ = {start}")
        known = {symbol: law.constants(digits=15, correlation=start).get(letter, 0)
                 for letter, symbol in law.constant_symbols.items()}  # fmt: skip
        printed = as_function(law.depth_variable, law.to_sympy().subs(known), "numpy")
        axes.plot(smooth, np.broadcast_to(printed(smooth.astype(float)), smooth.shape), color=f"C{number}", linewidth=1)
    scale = {"xscale": "log", "yscale": "log"} if method == "correlation_law" else {"xscale": "log"}
    axes.set(xlabel=f"${latex(law.depth_variable)}$", ylabel=f"${law.quantity}$", **scale)
    axes.legend(title="layers (points), law (line)", fontsize=8, title_fontsize=8)
    save(figure, folder / path)
    return shown


def _measured(net, law, start: str) -> np.ndarray:
    """The quantity of a law at `DEPTHS` by the recursion: 1 - c^l, or K(x,x') over L or over K(x,x)."""
    gaps = np.array([1 - float(Fraction(start)), 0.0])
    positions = getattr(net, "positions", 0)
    if positions:
        pairs, given = asy.depth.convolution.conv_pairs, {}
        gaps = np.repeat(gaps[:, None], positions, axis=1)
    else:
        pairs, given = asy.depth.pairs, {"variance": 1} if type(net) is asy.MLP else {}
    found = []
    for depth in DEPTHS:
        gap, kernel = (np.reshape(part, (2, -1))[:, 0] for part in pairs(net, gaps, depth, **given))
        unit = depth if r"q_{L}\,L" in law.quantity else kernel[1]
        found.append(gap[0] if law.name == "correlation" else kernel[0] / unit)
    return np.array(found)


def _weight(net) -> str:
    """' and sigma_w = 1', where the network has one."""
    try:
        return f" and $\\sigma_w = {tex(net.sigma_w)}$"
    except (AttributeError, asy.AsymptError):
        return ""


if __name__ == "__main__":
    write(HERE / "atlas", sys.argv[1:])
