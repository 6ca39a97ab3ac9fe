r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (PDLT), chapter 10: training at
infinite width, the ensemble of trained networks, linear models and kernel methods.  Their formulas decide them.
"""

from asympt.claims.claim import Claim

CLAIMS = (
    Claim(
        "PDLT.10.7", "PDLT footnote 2, eq. (10.7)",
        r"\partial q_j/\partial z_i=(\delta_{ij}-q_i)q_j,\quad\partial\mathcal L/\partial z_i=q_i-p_i",
        "the error factor of the cross-entropy loss",
    ),
    Claim(
        "PDLT.10.20", "PDLT eqs. (10.19), (10.20)",
        r"z_\delta(t=1)=z_\delta-\eta\sum\Theta_{\delta\tilde\alpha_2}\kappa^{\tilde\alpha_2\tilde\alpha_3}"
        r"\partial\mathcal L/\partial z_{\tilde\alpha_3}",
        "what a second-order update does to the outputs",
    ),
    Claim(
        "PDLT.10.23", "PDLT eqs. (10.22), (10.23)",
        r"\mathcal L=\tfrac12\sum\kappa^{\tilde\alpha_1\tilde\alpha_2}(z-y)_{\tilde\alpha_1}(z-y)_{\tilde\alpha_2}:\ "
        r"\partial\mathcal L/\partial z=\kappa(z-y)",
        "a second-order update is plain gradient descent on a generalised loss",
    ),
    Claim(
        "PDLT.10.28", "PDLT eq. (10.28)",
        r"z_\delta(t=1)=z_\delta-\sum\Theta_{\delta\tilde\alpha_1}\tilde\Theta^{\tilde\alpha_1\tilde\alpha_2}"
        r"(z_{\tilde\alpha_2}-y_{\tilde\alpha_2})",
        "Newton's method trains fully in one step",
    ),
    Claim(
        "PDLT.10.31", "PDLT footnote 8, eq. (10.31)",
        r"L(x_{t+1})=L(x_t)-\eta_tL'(x_t)^2+\tfrac{\eta_t^2}2L'(x_t)^2L''(x_t)+O(\eta_t^3),\ \eta_t=1/L''",
        "the best learning rate to second order",
    ),
    Claim(
        "PDLT.10.35", "PDLT eq. (10.35)",
        r"z_\delta(T)=z_\delta(0)-\sum\Theta_{\delta\tilde\alpha_1}\tilde\Theta^{\tilde\alpha_1\tilde\alpha_2}"
        r"[z_{\tilde\alpha_2}(0)-y_{\tilde\alpha_2}]",
        "the end of training does not depend on the algorithm",
    ),
    Claim(
        "PDLT.10.2.3-shift", "PDLT section 10.2.3",
        r"y\to y+c:\ z\to z+\Theta\tilde\Theta^{-1}c,\ q\text{ unchanged}",
        "the cross-entropy fixes its targets up to a shift, which does not matter",
    ),
    Claim(
        "PDLT.10.40",
        "PDLT eq. (10.40)",
        r"m_{\dot\beta}=\sum\Theta_{\dot\beta\tilde\alpha_1}\tilde\Theta^{\tilde\alpha_1\tilde\alpha_2}y_{\tilde\alpha_2}",
        "the mean prediction over networks",
    ),
    Claim(
        "PDLT.10.41", "PDLT eq. (10.41)",
        r"\mathrm{Cov}=K_{\dot\beta_1\dot\beta_2}-\Theta_{\dot\beta_2}\tilde\Theta^{-1}K_{\dot\beta_1}"
        r"-\Theta_{\dot\beta_1}\tilde\Theta^{-1}K_{\dot\beta_2}+\Theta_{\dot\beta_1}\tilde\Theta^{-1}\tilde K"
        r"\tilde\Theta^{-1}\Theta_{\dot\beta_2}",
        "the covariance of predictions over networks",
    ),
    Claim(
        "PDLT.10.52", "PDLT eq. (10.52)",
        r"E[\tfrac12\sum(z-y)^2]=\tfrac12\sum\{(m-y)^2+\mathrm{Cov}[z,z]\}",
        "bias and variance of the squared error",
    ),
    Claim(
        "PDLT.10.55", "PDLT eq. (10.55)",
        r"E[\mathcal L_{\mathcal B}]=\mathcal L_{\mathcal B}(m)+\tfrac12\sum\partial^2\mathcal L_{\mathcal B}|_m"
        r"\mathrm{Cov}[z,z']+\cdots",
        "bias and variance of any smooth loss",
    ),
    Claim(
        "PDLT.10.123", "PDLT eq. (10.123)",
        r"W^*_{ij}=\sum_k\sum_{\tilde\alpha}y_{i;\tilde\alpha}\phi_k(x_{\tilde\alpha})(M^{-1})_{kj}",
        "linear regression",
    ),
    Claim(
        "PDLT.10.127", "PDLT footnote 44, eq. (10.127)",
        r"M_{ij}=2a\,\delta_{ij}+\sum_{\tilde\alpha}\phi_i(x_{\tilde\alpha})\phi_j(x_{\tilde\alpha})",
        "linear regression with a penalty, and the regimes without",
    ),
    Claim(
        "PDLT.10.131", "PDLT eqs. (10.129)-(10.131)",
        r"\sum\phi_j(x_{\dot\beta})(M^{-1})_{jk}\phi_k(x_{\tilde\alpha_2})=\sum k_{\dot\beta\tilde\alpha_1}"
        r"\tilde k^{\tilde\alpha_1\tilde\alpha_2},\quad n_f+1\ge N_{\mathcal A}",
        "the dual form of linear regression",
    ),
    Claim(
        "PDLT.10.133", "PDLT footnote 46, eq. (10.133)",
        r"k=e^{-\|x-x'\|^2/2\sigma^2}\text{ has infinitely many features}",
        "the feature space of the Gaussian kernel",
    ),
)
