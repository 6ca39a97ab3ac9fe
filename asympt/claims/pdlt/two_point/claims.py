r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (PDLT), section 10.3.2: two training
points.
"""

from asympt.claims.claim import Claim
from asympt.claims.pdlt.two_point import numbers

CLAIMS = (
    Claim(
        "PDLT.10.104", "PDLT eq. (10.104)",
        r"z_{i;(2s-1)}^{(L)}(T)=s y_{i;+}+(1-s)y_{i;-}",
        "deep linear networks draw straight lines through two training points",
    ),
    Claim(
        "PDLT.10.110", "PDLT eq. (10.110)",
        r"\Theta_{\epsilon_1\epsilon_2}=\Theta_{00}+\Bigl(\frac{\epsilon_1+\epsilon_2}{2}\Bigr)\delta\Theta_{[1]}+"
        r"\Bigl(\frac{\epsilon_1+\epsilon_2}{2}\Bigr)^2 \bigl(\delta\delta\Theta_{[2]}+\delta\delta\Theta_{[0]}\bigr)"
        r"+\Bigl(\frac{\epsilon_1-\epsilon_2}{2}\Bigr)^2 \bigl(-\delta\delta\Theta_{[2]}+\delta\delta\Theta_{[0]}"
        r"\bigr)+O(\epsilon^3\delta^3)",
        "a smooth kernel between any two points of a short segment", numbers.pair,
    ),
    Claim(
        "PDLT.10.111", "PDLT eq. (10.111)",
        r"\Theta_{(2s-1)\pm}=s\Theta_{\pm+}+(1-s)\Theta_{\pm-}-2s(1-s)\delta\delta\Theta_{[0]}+O(\delta^3)",
        "a smooth kernel between a point of the line and a training point",
    ),
    Claim(
        "PDLT.10.113", "PDLT eq. (10.113)",
        r"z_{i;(2s-1)}^{(L)}(T)=\bigl[z_{i;(2s-1)}^{(L)}-sz_{i;+}^{(L)}-(1-s)z_{i;-}^{(L)}\bigr]+[sy_{i;+}+(1-s)y_{i;"
        r"-}]-s(1-s)\Bigl[\frac{2\delta\delta\Theta_{[0]}}{\Theta_{00}\delta\delta\Theta_{[2]}-\delta\Theta_{[1]}^2}"
        r"\Bigr]\bigl[2\delta\delta\Theta_{[2]}\bigl(z_{i;+}^{(L)}+z_{i;-}^{(L)}+y_{i;+}+y_{i;-}\bigr)-\delta\Theta_{"
        r"[1]}\bigl(z_{i;+}^{(L)}-z_{i;-}^{(L)}+y_{i;+}-y_{i;-}\bigr)\bigr]+O(\delta^3)",
        "what a trained network says between and beyond two training points", numbers.polation,
    ),
    Claim(
        "PDLT.10.114", "PDLT eq. (10.114)",
        r"z_{i;(2s-1)}^{(L)}(T)=\bigl[z_{i;(2s-1)}^{(L)}-sz_{i;+}^{(L)}-(1-s)z_{i;-}^{(L)}\bigr]+[sy_{i;+}+(1-s)y_{i;"
        r"-}]-4s(1-s)\Bigl(\frac{\delta\delta\Theta_{[0]}}{\Theta_{00}}\Bigr)\bigl(z_{i;+}^{(L)}+z_{i;-}^{(L)}+y_{i;+"
        r"}+y_{i;-}\bigr)+O(\delta^3)",
        "the same for training points of equal norms", numbers.polation_equal_norms,
    ),
    Claim(
        "PDLT.10.115", "PDLT eq. (10.115)",
        r"m_{i;(2s-1)}^\infty=sy_{i,+}+(1-s)y_{i,-}-4s(1-s)\Bigl(\frac{\delta\delta\Theta_{[0]}}{\Theta_{00}}\Bigr)(y"
        r"_{i,+}+y_{i,-})+O(\delta^3)",
        "the mean over networks, equal norms", numbers.mean_polation,
    ),
    Claim(
        "PDLT.10.116", "PDLT eq. (10.116)",
        r"m_{i;(2s-1)}^\infty-y_{i;(2s-1)}=[y_{i,+}+(1-s)y_{i,-}-y_{i;(2s-1)}]-4s(1-s)\Bigl(\frac{\delta\delta\Theta_"
        r"{[0]}}{\Theta_{00}}\Bigr)(y_{i,+}+y_{i,-})+O(\delta^3)",
        "the error of the mean, equal norms",
    ),
    Claim(
        "PDLT.10.117", "PDLT footnote 41, eq. (10.117)",
        r"\text{the curvature vanishes quadratically, }\delta\delta\Theta_{[0]}/\Theta_{00}=O(\delta^2),\quad \mathbb"
        r"{E}\bigl[z_{i;2s-1}^{(L)}(T)z_{i;2s-1}^{(L)}(T)\bigr]-\bigl(\mathbb{E}\bigl[z_{i;2s-1}^{(L)}(T)\bigr]\bigr)"
        r"^2=O(\delta^3)",
        "how little networks disagree between two nearby training points", numbers.variance,
    ),
    Claim(
        "PDLT.fn40", "PDLT footnote 40",
        r"\text{for those networks we simply have }\Theta_{(2s-1)\pm}=s\Theta_{\pm+}+(1-s)\Theta_{\pm-}",
        "the kernels of deep linear networks have no curvature along a line",
    ),
)
