r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (PDLT), section 10.3.2: two training
points.
"""

from asympt.claims.claim import Claim
from asympt.claims.pdlt.two_point import numbers

CLAIMS = (
    Claim(
        "PDLT.10.104", "PDLT eq. (10.104)",
        r"z_{2s-1}(T)=sy_++(1-s)y_-",
        "deep linear networks draw straight lines through two training points",
    ),
    Claim(
        "PDLT.10.110", "PDLT eq. (10.110)",
        r"\Theta_{\epsilon_1\epsilon_2}=\Theta_{00}+\tfrac{\epsilon_1+\epsilon_2}2\delta\Theta_{[1]}"
        r"+\bigl(\tfrac{\epsilon_1+\epsilon_2}2\bigr)^2(\delta\delta\Theta_{[2]}+\delta\delta\Theta_{[0]})"
        r"+\bigl(\tfrac{\epsilon_1-\epsilon_2}2\bigr)^2(-\delta\delta\Theta_{[2]}+\delta\delta\Theta_{[0]})"
        r"+O(\epsilon^3\delta^3)",
        "a smooth kernel between any two points of a short segment", numbers.pair,
    ),
    Claim(
        "PDLT.10.111", "PDLT eq. (10.111)",
        r"\Theta_{(2s-1)\pm}=s\Theta_{\pm+}+(1-s)\Theta_{\pm-}-2s(1-s)\delta\delta\Theta_{[0]}+O(\delta^3)",
        "a smooth kernel between a point of the line and a training point",
    ),
    Claim(
        "PDLT.10.113", "PDLT eq. (10.113)",
        r"z_{2s-1}(T)=[z_{2s-1}-sz_+-(1-s)z_-]+[sy_++(1-s)y_-]-s(1-s)\frac{2\delta\delta\Theta_{[0]}}"
        r"{\Theta_{00}\delta\delta\Theta_{[2]}-\delta\Theta_{[1]}^2}\bigl[2\delta\delta\Theta_{[2]}(z_++z_-+y_++y_-)"
        r"-\delta\Theta_{[1]}(z_+-z_-+y_+-y_-)\bigr]+O(\delta^3)",
        "what a trained network says between and beyond two training points", numbers.polation,
    ),
    Claim(
        "PDLT.10.114", "PDLT eq. (10.114)",
        r"z_{2s-1}(T)=[z_{2s-1}-sz_+-(1-s)z_-]+[sy_++(1-s)y_-]-4s(1-s)\frac{\delta\delta\Theta_{[0]}}{\Theta_{00}}"
        r"(z_++z_-+y_++y_-)+O(\delta^3)",
        "the same for training points of equal norms", numbers.polation_equal_norms,
    ),
    Claim(
        "PDLT.10.115", "PDLT eq. (10.115)",
        r"m_{2s-1}=sy_++(1-s)y_--4s(1-s)\frac{\delta\delta\Theta_{[0]}}{\Theta_{00}}(y_++y_-)+O(\delta^3)",
        "the mean over networks, equal norms", numbers.mean_polation,
    ),
    Claim(
        "PDLT.10.116", "PDLT eq. (10.116)",
        r"m_{2s-1}-y_{2s-1}=[y_++(1-s)y_--y_{2s-1}]-4s(1-s)\frac{\delta\delta\Theta_{[0]}}{\Theta_{00}}(y_++y_-)"
        r"+O(\delta^3)",
        "the error of the mean, equal norms",
    ),
    Claim(
        "PDLT.10.117", "PDLT footnote 41, eq. (10.117)",
        r"\delta\delta\Theta_{[0]}/\Theta_{00}=O(\delta^2),\quad\mathrm{Var}[z_{2s-1}(T)]=O(\delta^3)",
        "how little networks disagree between two nearby training points", numbers.variance,
    ),
    Claim(
        "PDLT.fn40", "PDLT footnote 40",
        r"\phi(x)=x:\ \Theta_{(2s-1)\pm}=s\Theta_{\pm+}+(1-s)\Theta_{\pm-},\ \delta\delta\Theta_{[0]}=0",
        "the kernels of deep linear networks have no curvature along a line",
    ),
)
