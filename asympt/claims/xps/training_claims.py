r"""Claims of the slides on Xiao, Pennington and Schoenholz about training and prediction at great depth."""

from asympt.claims.claim import Claim
from asympt.claims.xps import training, training_ordered

CLAIMS = (
    Claim(
        "XPS.finf", "XPS slides, Recap: Neural Tangent Kernel (II)",
        r"f_\infty(x)=\Theta(x,X)\Theta(X,X)^{-1}y=:P(\Theta)y",
        "the end of training from zero outputs",
        training.final_prediction,
    ),
    Claim(
        "XPS.dyn", "XPS slides, closed-form training dynamics",
        r"f_t(x)=\Theta(x,X)\Theta(X,X)^{-1}(1-e^{-t\eta\Theta(X,X)})y,\quad"
        r"\tilde f_{t,i}=(1-e^{-t\eta\lambda_i})\tilde y_i",
        "training dynamics with learning rate eta, and by modes",
        training.dynamics,
    ),
    Claim(
        "XPS.kappa", "XPS slides, Maximum feasible learning rate",
        r"\eta=2/\lambda_1:\ \tilde f_{t,m}=(1-e^{-2t/\kappa})\tilde y_m;\quad"
        r"\kappa\to\infty\Rightarrow\tilde f_{t,m}\to0",
        "the condition number as the time that training takes",
        training.learning_rate,
    ),
    Claim(
        "XPS.chaos.pred", "XPS slides, Chaotic Regime: Generalization",
        r"P(\Theta^{(l)})y\approx(p_{ab}^*\mathbf1)^T(p_{ab}^*(\mathbf1\mathbf1^T-I)+p_{aa}^{(l)}I)^{-1}y\to0",
        "the prediction in the chaotic phase",
        training.chaotic_prediction,
    ),
    Claim(
        "XPS.ord.spec", "XPS slides, Ordered regime, spectrum of NNGP and NTK",
        r"\Sigma^{(\infty)}=q^*\mathbf1\mathbf1^T,\ \Theta^{(\infty)}=p^*\mathbf1\mathbf1^T:\ \lambda_1=nq^*,\,np^*,"
        r"\ \lambda_{bulk}=0,\ \kappa=\infty",
        "the spectra of the limiting kernels in the ordered phase",
        training.ordered_spectrum,
    ),
    Claim(
        "XPS.ord.form", "XPS slides, Ordered regime: finite-depth form",
        r"\Theta^{(l)}(X,X)=p^*\mathbf1\mathbf1^T+l\,f'(1)^lA^{(l)},\quad A^{(l)}\to A^{(\infty)}",
        "how the NTK becomes constant in the ordered phase",
        training_ordered.finite_depth,
    ),
    Claim(
        "XPS.ord.sm", "XPS slides, Ordered regime: Sherman-Morrison",
        r"(p^*\mathbf1\mathbf1^T+\lambda A)^{-1}=\lambda^{-1}(A^{-1}-\hat p\,aa^T),\ a=A^{-1}\mathbf1,"
        r"\ \hat p=\frac1{\lambda(1/p^*+\lambda^{-1}\mathbf1^Ta)}",
        "the inverse of a nearly constant kernel",
        training_ordered.sherman_morrison,
    ),
    Claim(
        "XPS.ord.pred", "XPS slides, Ordered regime: predictive function",
        r"P=A_zA^{-1}-\hat pA_zaa^T+\hat pa^T\to(A_zA^{-1}+\hat A)",
        "the prediction in the ordered phase",
        training_ordered.prediction,
    ),
    Claim(
        "XPS.fig", "XPS slides, Experiments (I)",
        r"\kappa(\Theta^{(l)})\to1\text{ (chaotic)},\quad\kappa(\Theta^{(l)})\to\infty\text{ (ordered)}",
        "the figure of condition numbers against depth",
        training.figure,
    ),
    Claim(
        "XPS.fig-accuracy", "XPS slides, Experiments: accuracy of finite networks",
        r"\text{train and test accuracy over }(\sigma_w,L)",
        "the figure of accuracies",
        training.accuracy,
    ),
)
