"""What the network is called in a sentence, and how its slopes are written."""

from sympy import simplify

from asympt.writing.formulas import parameter
from asympt.writing.material import Material
from asympt.writing.networks import NOUNS


def noun(m: Material) -> str:
    """'ReLU', 'leaky ReLU', ..., for 'a deep ... network'."""
    return NOUNS.get(m.net.activation.name, "ReLU-like")


def slopes(m: Material) -> str:
    """The two slopes as formulas."""
    right, left = m.net.activation.slopes
    return rf"$a_+ = {parameter(right)}$ and $a_- = {parameter(left)}$"


def place(m: Material) -> str:
    """' on the Edge of Chaos', when it is there."""
    return " on the Edge of Chaos" if m.net.layer.is_critical else ""


def title(m: Material) -> str:
    """The title of the document."""
    subject = "neural tangent kernel of" if m.is_ntk else "correlation of two inputs in"
    article = "an" if noun(m)[0] in "aeiou" else "a"
    return f"The depth law of the {subject} {article} {noun(m)} network{place(m)}"


def variance(m: Material) -> str:
    """Where sigma_w stands, and what q means then."""
    value = parameter(m.net.layer.weight_variance)
    if m.net.layer.is_critical:
        return (
            rf"$\sigma_w^2 = 2/(a_+^2+a_-^2) = {value}$. "
            r"This is the Edge of Chaos: $q = \Sigma^l(x,x)^{1/2}\,\Sigma^l(x',x')^{1/2} = \sigma_w^2\|x\|\|x'\|/d$ "
            "does not depend on $l$"
        )
    gain = parameter(simplify(m.net.layer.chi))
    return (
        rf"$\sigma_w^2 = {value}$, so that $\chi = \sigma_w^2(a_+^2+a_-^2)/2 = {gain}$. This is not the Edge of Chaos, "
        r"but only the scale $q = q_L = \Sigma^L(x,x)^{1/2}\,\Sigma^L(x',x')^{1/2} = \chi^{L-1}q_1$ knows it: "
        r"measured in $q_L$ all that follows is the same for every $\sigma_w$"
    )
