"""The papers and books that the derivations rest on."""

from collections.abc import Sequence

_ENTRIES = (
    (
        "HDR",
        "S. Hayou, A. Doucet, J. Rousseau. Mean-field behaviour of neural tangent kernel for deep neural networks. "
        r"\emph{arXiv:1905.13654}, 2020.",
    ),
    (
        "JGH",
        "A. Jacot, F. Gabriel, C. Hongler. Neural tangent kernel: convergence and generalization in neural networks. "
        r"\emph{Advances in Neural Information Processing Systems} 31, 2018.",
    ),
    (
        "PDLT",
        r"D. A. Roberts, S. Yaida, B. Hanin. \emph{The Principles of Deep Learning Theory}. Cambridge University "
        "Press, 2022.",
    ),
    (
        "ChoSaul",
        "Y. Cho, L. K. Saul. Kernel methods for deep learning. "
        r"\emph{Advances in Neural Information Processing Systems} 22, 2009.",
    ),
    ("deBruijn", r"N. G. de Bruijn. \emph{Asymptotic Methods in Analysis}. North-Holland, 1958."),
    (
        "Milnor",
        r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics Studies 160, "
        r"Princeton University Press, 2006; {\S}10 and {\S}12, after \'Ecalle.",
    ),
    (
        "Koenigs",
        r"G. Koenigs. Recherches sur les int\'egrales de certaines \'equations fonctionnelles. "
        r"\emph{Annales scientifiques de l'\'Ecole Normale Sup\'erieure} (3) 1, 1884, suppl\'ement, 3--41.",
    ),
    (
        "MilnorKoenigs",
        r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics Studies 160, "
        r"Princeton University Press, 2006; {\S}8.",
    ),
)
NETWORK = ("HDR", "JGH", "ChoSaul", "deBruijn", "Milnor")


def references(cited: Sequence[str] = NETWORK) -> str:
    """The bibliography of the works cited."""
    if not cited:
        return ""
    entries = "\n".join(rf"\bibitem{{{key}}} {text}" for key, text in _ENTRIES if key in cited)
    return f"\\begin{{thebibliography}}{{9}}\n\\small\n{entries}\n\\end{{thebibliography}}\n"
