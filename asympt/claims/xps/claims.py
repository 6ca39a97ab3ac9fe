r"""Claims of the slides on Xiao, Pennington and Schoenholz, "Disentangling Trainability and Generalization in Deep
Neural Networks": correlations and the NTK in the ordered and in the chaotic phase, training and prediction there.
"""

from asympt.claims.claim import Claim
from asympt.claims.hdr.off_edge import general_map
from asympt.claims.xps import phases, training, training_ordered

PHASES = (
    Claim(
        "XPS.f1", "XPS slides, Recursive Correlation",
        r"f(1)=1,\quad f'(1)=\sigma_w^2\int\bigl[\phi'(\sqrt{q^*}z)\bigr]^2\mathcal Dz",
        "value and slope of the correlation map", general_map.slope_identity,
    ),
    Claim(
        "XPS.phases", "XPS slides, Ordered / Chaotic",
        r"\text{Ordered: }f'(1)<1,\quad \lim_{l\to\infty}c_{ab}^{(l)}=1,\quad \text{Chaotic: }f'(1)>1,\quad \lim_{l"
        r"\to\infty}c_{ab}^{(l)}<1",
        "the two phases of tanh", phases.phases,
    ),
    Claim(
        "XPS.2b", "XPS slides, Dynamics in terms of new notation",
        r"p_{ab}^{(l+1)}=q_{ab}^{(l+1)}+\sigma_w^2\dot{\mathcal T}(q_{ab}^{(l)})p_{ab}^{(l)},\quad p_{aa}^{(l+1)}=q^*"
        r"+\sigma_w^2\dot{\mathcal T}(q^*)p_{aa}^{(l)}=q^*+f'(1)p_{aa}^{(l)}",
        "the recursion of the NTK at the fixed point of the variance", phases.dynamics,
    ),
    Claim(
        "XPS.chaos.paa", "XPS slides, Chaotic regime, 2.b",
        r"p_{aa}^{(l+1)}=q^*+f'(1)p_{aa}^{(l)}=\dots=\sum_{i=0}^{l+1}q^*f'(1)^i=\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*",
        "the NTK of one input as a geometric sum",
    ),
    Claim(
        "XPS.chaos.paa-asym", "XPS slides, Chaotic regime, 2.b",
        r"p_{aa}^{(l+1)}=\frac{f'(1)^{l+1}-1}{f'(1)-1}q^*\approx f'(1)^lq^*\xrightarrow{l\to\infty}\infty",
        "how the NTK of one input grows",
    ),
    Claim(
        "XPS.chaos.pab", "XPS slides, Chaotic regime, 2.a",
        r"p_{ab}^*=q_{ab}^*+\sigma_w^2\dot{\mathcal T}(q_{ab}^*)p_{ab}^*\iff p_{ab}^*=\frac{q_{ab}^*}{1-f'(c^*)}",
        "the limit of the NTK of two inputs in the chaotic phase",
    ),
    Claim(
        "XPS.chaos.nngp", "XPS slides, Chaotic regime, NNGP spectrum",
        r"\text{Has eigenvector }v_1=(1,\dots,1)\text{ with }\lambda_0=q^*\bigl((n-1)c^*+1\bigr),\quad \lambda_i="
        r"\lambda_{\text{bulk}}=q^*(1-c^*)",
        "the spectrum of the limiting NNGP kernel",
    ),
    Claim(
        "XPS.chaos.ntk", "XPS slides, Chaotic regime, Spectrum NTK",
        r"\frac1{p_{aa}^*}\Theta^{(\infty)}(X,X)=\mathbb 1_{n\times n},\quad \kappa\bigl(\Theta^{(\infty)}(X,X)\bigr)"
        r"=1",
        "the condition number of the NTK in the chaotic phase",
    ),
    Claim(
        "XPS.ord.paa", "XPS slides, Ordered regime",
        r"p_{aa}^{(l+1)}=q^*+f'(1)p_{aa}^{(l)}=\dots=\sum_{i=0}^{l+1}q^*f'(1)^i\xrightarrow{l\to\infty}\sum_{i=0}^"
        r"\infty q^*\bigl(f'(1)\bigr)^i,\quad =\frac{q^*}{1-f'(1)}",
        "the NTK of one input in the ordered phase",
    ),
    Claim(
        "XPS.eps", "XPS slides, Define epsilon, delta",
        r"\epsilon_{ab}^{(l+1)}\approx\sigma_w^2\dot{\mathcal T}(q_{ab}^*)\epsilon_{ab}^{(l)}=f'(c^*)^{l+1}\epsilon_{"
        r"ab}^{(0)}",
        "how a small deviation of the covariance decays",
    ),
    Claim(
        "XPS.delta", "XPS slides, Define epsilon, delta",
        r"\delta_{ab}^{(l+1)}\approx f'(c^*)^{l+1}\Bigl(\delta_{ab}^{(0)}+l\Bigl(1+\frac{f''(c^*)}{f'(c^*)}p_{ab}^*"
        r"\Bigr)\epsilon_{ab}^{(0)}\Bigr)",
        "how a small deviation of the NTK decays",
    ),
)

TRAINING = (
    Claim(
        "XPS.finf", "XPS slides, Recap: Neural Tangent Kernel (II)",
        r"f_\infty(x)=\bigl(\Theta^{(L)}(x,X)\bigr)^T\bigl(\Theta^{(L)}(X,X)\bigr)^{-1}y",
        "the end of training from zero outputs", training.final_prediction,
    ),
    Claim(
        "XPS.dyn", "XPS slides, closed-form training dynamics",
        r"f_t(x)=\Theta^{(L)}(x,X)\bigl(\Theta^{(L)}(X,X)\bigr)^{-1}\bigl(\mathbb 1-e^{-t\eta\Theta^{(L)}(X,X)}\bigr)"
        r"y,\quad \tilde f_{t,i}(X)=\bigl(\mathbb 1-e^{-t\eta\lambda_i}\bigr)\tilde y_i",
        "training dynamics with learning rate eta, and by modes", training.dynamics,
    ),
    Claim(
        "XPS.kappa", "XPS slides, Maximum feasible learning rate",
        r"\eta\sim\frac2{\lambda_1},\quad \tilde f_{t,m}(X)=\Bigl(\mathbb 1-e^{-2t\frac{\lambda_m}{\lambda_1}}\Bigr)"
        r"\tilde y_m=\bigl(\mathbb 1-e^{-2t\kappa^{-1}}\bigr)\tilde y_m,\quad \kappa\xrightarrow{L\to\infty}\infty,"
        r"\quad \tilde f_{t,m}^{(\infty)}(X)=0\ne\tilde y_m\quad\forall t",
        "the condition number as the time that training takes", training.learning_rate,
    ),
    Claim(
        "XPS.chaos.pred", "XPS slides, Chaotic Regime: Generalization",
        r"P(\Theta^{(l)})y=\bigl(\Theta^{(l)}(x,X)\bigr)^T\bigl(\Theta^{(l)}(X,X)\bigr)^{-1}y\approx(p_{ab}^*\mathbf "
        r"1)^T\bigl(p_{ab}^*(\mathbf 1\mathbf 1^T-1)+p_{aa}^{(l)}1\bigr)^{-1}y=\frac1{p_{aa}^{(l)}}(p_{ab}^*\mathbf 1"
        r")^T\Bigl(\frac{p_{ab}^*}{p_{aa}^{(l)}}(\mathbf 1\mathbf 1^T-1)+1\Bigr)^{-1}y,\quad \xrightarrow{l\to\infty}"
        r"\mathbf 0",
        "the prediction in the chaotic phase", training.chaotic_prediction,
    ),
    Claim(
        "XPS.ord.spec", "XPS slides, Ordered regime, spectrum of NNGP and NTK",
        r"\Sigma^{(\infty)}(X,X)=q^*\mathbf 1\mathbf 1^T,\quad \lambda_1(\Sigma^{(\infty)}(X,X))=nq^*,\quad \Theta^{("
        r"\infty)}(X,X)=p^*\mathbf 1\mathbf 1^T,\quad \lambda_1\bigl(\Theta^{(\infty)}\bigr)=np^*,\quad \lambda_{"
        r"\text{bulk}}\bigl(\Theta^{(\infty)}\bigr)=0,\quad \kappa\bigl(\Theta^{(\infty)}(X,X)\bigr)=\infty",
        "the spectra of the limiting kernels in the ordered phase", training.ordered_spectrum,
    ),
    Claim(
        "XPS.ord.form", "XPS slides, Ordered regime: finite-depth form",
        r"\text{Write }\Theta^{(l)}(X,X)=p^*\mathbf 1\mathbf 1^T+l\bigl(f'(1)\bigr)^lA^{(l)}(X,X)",
        "how the NTK becomes constant in the ordered phase", training_ordered.finite_depth,
    ),
    Claim(
        "XPS.ord.sm", "XPS slides, Ordered regime: Sherman-Morrison",
        r"\bigl(\Theta^{(l)}\bigl(X,X\bigr)\bigr)^{-1}=\bigl(p^*\mathbf 1\mathbf 1^T+\lambda A_X^{(l)}\bigr)^{-1},"
        r"\quad =\lambda^{-1}\Bigl(\bigl(A_X^{(l)}\bigr)^{-1}-\frac{\bigl(A_X^{(l)}\bigr)^{-1}\mathbf 1\mathbf 1^T"
        r"\bigl(A_X^{(l)}\bigr)^{-1}}{\lambda\Bigl(\frac1{p^*}+\lambda^{-1}\mathbf 1^T\bigl(A_X^{(l)}\bigr)^{-1}"
        r"\mathbf 1\Bigr)}\Bigr),\quad =\lambda^{-1}\bigl(\bigl(A_X^{(l)}\bigr)^{-1}-\hat paa^T\bigr)",
        "the inverse of a nearly constant kernel", training_ordered.sherman_morrison,
    ),
    Claim(
        "XPS.ord.pred", "XPS slides, Ordered regime: predictive function",
        r"P(\Theta^{(l)})=\bigl(p^*\mathbf 1^T+\lambda A_z^{(l)}\bigr)\lambda^{-1}\bigl(\bigl(A_X^{(l)}\bigr)^{-1}-"
        r"\hat paa^T\bigr)=A_z^{(l)}\bigl(A_X^{(l)}\bigr)^{-1}-\hat pA_z^{(l)}aa^T+\lambda^{-1}p^*\bigl(a^T-\hat p"
        r"\mathbf 1^Taa^T\bigr)=A_z^{(l)}\bigl(A_X^{(l)}\bigr)^{-1}-\hat pA_z^{(l)}aa^T+\hat pa^T,\quad f_\infty(z)="
        r"\bigl(A_z^{(\infty)}\bigl(A_X^{(\infty)}\bigr)^{-1}+\hat A\bigr)y",
        "the prediction in the ordered phase", training_ordered.prediction,
    ),
    Claim(
        "XPS.fig", "XPS slides, Experiments (I)",
        r"\text{Condition number in the chaotic and ordered regime},\quad \lim_{l\to\infty}\kappa\bigl(\Theta^{(l)}(X"
        r",X)\bigr)=1,\quad \lim_{l\to\infty}\kappa\bigl(\Theta^{(l)}(X,X)\bigr)=\infty",
        "the figure of condition numbers against depth", training.figure,
    ),
)

CLAIMS = (*PHASES, *TRAINING)
