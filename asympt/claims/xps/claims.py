r"""Claims of the slides on Xiao, Pennington and Schoenholz, "Disentangling Trainability and Generalization in Deep
Neural Networks": correlations and the NTK in the ordered and in the chaotic phase, training and prediction there.
"""

from asympt.claims.claim import Claim
from asympt.claims.hdr.off_edge import general_map
from asympt.claims.xps import phases, training, training_ordered

PHASES = (
    Claim(
        "XPS.f1", "XPS slides, Recursive Correlation",
        r"f(1)=1,\ f'(1)=\sigma_w^2\int[\phi'(\sqrt{q^*}z)]^2Dz,\ f'(c)=\sigma_w^2\dot{\mathcal T}(cq^*)",
        "value and slope of the correlation map", general_map.slope_identity,
    ),
    Claim(
        "XPS.phases", "XPS slides, Ordered / Chaotic",
        r"f'(1)<1\Rightarrow c^{(l)}\to1;\quad f'(1)>1\Rightarrow\lim c^{(l)}<1",
        "the two phases of tanh", phases.phases,
    ),
    Claim(
        "XPS.2b", "XPS slides, Dynamics in terms of new notation",
        r"p_{ab}^{(l+1)}=q_{ab}^{(l+1)}+\sigma_w^2\dot{\mathcal T}(q_{ab}^{(l)})p_{ab}^{(l)},\ "
        r"p_{aa}^{(l+1)}=q^*+f'(1)p_{aa}^{(l)}",
        "the recursion of the NTK at the fixed point of the variance", phases.dynamics,
    ),
    Claim(
        "XPS.chaos.paa", "XPS slides, Chaotic regime, 2.b",
        r"p_{aa}^{(l+1)}=\sum_{i=0}^{l+1}q^*f'(1)^i=\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*",
        "the NTK of one input as a geometric sum",
    ),
    Claim(
        "XPS.chaos.paa-asym", "XPS slides, Chaotic regime, 2.b",
        r"\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*\approx f'(1)^lq^*\to\infty",
        "how the NTK of one input grows",
    ),
    Claim(
        "XPS.chaos.pab", "XPS slides, Chaotic regime, 2.a",
        r"p_{ab}^{(l)}\to\frac{c^*q^*}{1-f'(c^*)}",
        "the limit of the NTK of two inputs in the chaotic phase",
    ),
    Claim(
        "XPS.chaos.nngp", "XPS slides, Chaotic regime, NNGP spectrum",
        r"\lambda_0=q^*((n-1)c^*+1),\ \lambda_{bulk}=q^*(1-c^*)",
        "the spectrum of the limiting NNGP kernel",
    ),
    Claim(
        "XPS.chaos.ntk", "XPS slides, Chaotic regime, Spectrum NTK",
        r"\frac1{p_{aa}}\Theta^{(l)}(X,X)\to I,\ \kappa(\Theta^{(l)})\to1",
        "the condition number of the NTK in the chaotic phase",
    ),
    Claim(
        "XPS.ord.paa", "XPS slides, Ordered regime",
        r"p_{aa}^{(l+1)}=\sum_{i=0}^{l+1}q^*f'(1)^i\to\frac{q^*}{1-f'(1)}=p_{ab}^*",
        "the NTK of one input in the ordered phase",
    ),
    Claim(
        "XPS.eps", "XPS slides, Define epsilon, delta",
        r"\epsilon_{ab}^{(l+1)}\approx f'(c^*)^{l+1}\epsilon_{ab}^{(0)}",
        "how a small deviation of the covariance decays",
    ),
    Claim(
        "XPS.delta", "XPS slides, Define epsilon, delta",
        r"\delta_{ab}^{(l+1)}\approx f'(c^*)^{l+1}\Bigl(\delta^{(0)}+l\Bigl(1+\frac{f''(c^*)}{f'(c^*)}p_{ab}^*\Bigr)"
        r"\epsilon^{(0)}\Bigr)",
        "how a small deviation of the NTK decays",
    ),
)

TRAINING = (
    Claim(
        "XPS.finf", "XPS slides, Recap: Neural Tangent Kernel (II)",
        r"f_\infty(x)=\Theta(x,X)\Theta(X,X)^{-1}y=:P(\Theta)y",
        "the end of training from zero outputs", training.final_prediction,
    ),
    Claim(
        "XPS.dyn", "XPS slides, closed-form training dynamics",
        r"f_t(x)=\Theta(x,X)\Theta(X,X)^{-1}(1-e^{-t\eta\Theta(X,X)})y,\quad"
        r"\tilde f_{t,i}=(1-e^{-t\eta\lambda_i})\tilde y_i",
        "training dynamics with learning rate eta, and by modes", training.dynamics,
    ),
    Claim(
        "XPS.kappa", "XPS slides, Maximum feasible learning rate",
        r"\eta=2/\lambda_1:\ \tilde f_{t,m}=(1-e^{-2t/\kappa})\tilde y_m;\quad"
        r"\kappa\to\infty\Rightarrow\tilde f_{t,m}\to0",
        "the condition number as the time that training takes", training.learning_rate,
    ),
    Claim(
        "XPS.chaos.pred", "XPS slides, Chaotic Regime: Generalization",
        r"P(\Theta^{(l)})y\approx(p_{ab}^*\mathbf1)^T(p_{ab}^*(\mathbf1\mathbf1^T-I)+p_{aa}^{(l)}I)^{-1}y\to0",
        "the prediction in the chaotic phase", training.chaotic_prediction,
    ),
    Claim(
        "XPS.ord.spec", "XPS slides, Ordered regime, spectrum of NNGP and NTK",
        r"\Sigma^{(\infty)}=q^*\mathbf1\mathbf1^T,\ \Theta^{(\infty)}=p^*\mathbf1\mathbf1^T:\ \lambda_1=nq^*,\,np^*,"
        r"\ \lambda_{bulk}=0,\ \kappa=\infty",
        "the spectra of the limiting kernels in the ordered phase", training.ordered_spectrum,
    ),
    Claim(
        "XPS.ord.form", "XPS slides, Ordered regime: finite-depth form",
        r"\Theta^{(l)}(X,X)=p^*\mathbf1\mathbf1^T+l\,f'(1)^lA^{(l)},\quad A^{(l)}\to A^{(\infty)}",
        "how the NTK becomes constant in the ordered phase", training_ordered.finite_depth,
    ),
    Claim(
        "XPS.ord.sm", "XPS slides, Ordered regime: Sherman-Morrison",
        r"(p^*\mathbf1\mathbf1^T+\lambda A)^{-1}=\lambda^{-1}(A^{-1}-\hat p\,aa^T),\ a=A^{-1}\mathbf1,"
        r"\ \hat p=\frac1{\lambda(1/p^*+\lambda^{-1}\mathbf1^Ta)}",
        "the inverse of a nearly constant kernel", training_ordered.sherman_morrison,
    ),
    Claim(
        "XPS.ord.pred", "XPS slides, Ordered regime: predictive function",
        r"P=A_zA^{-1}-\hat pA_zaa^T+\hat pa^T\to(A_zA^{-1}+\hat A)",
        "the prediction in the ordered phase", training_ordered.prediction,
    ),
    Claim(
        "XPS.fig", "XPS slides, Experiments (I)",
        r"\kappa(\Theta^{(l)})\to1\text{ (chaotic)},\quad\kappa(\Theta^{(l)})\to\infty\text{ (ordered)}",
        "the figure of condition numbers against depth", training.figure,
    ),
)

CLAIMS = (*PHASES, *TRAINING)
