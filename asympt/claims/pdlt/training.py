r"""Claims of Roberts, Yaida and Hanin, "The Principles of Deep Learning Theory" (PDLT), chapter 10: training at
infinite width, the ensemble of trained networks, linear models and kernel methods.  Their formulas decide them.
"""

from asympt.claims.claim import Claim

CLAIMS = (
    Claim(
        "PDLT.10.7", "PDLT footnote 2, eq. (10.7)",
        r"\partial q_{j;\tilde\alpha}/\partial z_{i;\tilde\alpha}^{(L)}=(\delta_{ij}-q_{i;\tilde\alpha})q_{j;\tilde"
        r"\alpha},\quad \epsilon_{i;\tilde{\alpha}}=\sum_j \frac{\partial \mathcal{L}_{\mathcal{A}}}{\partial q_{j;"
        r"\tilde{\alpha}}}\frac{\partial q_{j;\tilde{\alpha}}}{\partial z_{i;\tilde{\alpha}}^{(L)}}=-\sum_j \frac{p_{"
        r"j;\tilde{\alpha}}}{q_{j;\tilde{\alpha}}}q_{j;\tilde{\alpha}}(\delta_{ij}-q_{i;\tilde{\alpha}})=-p_{i;\tilde"
        r"{\alpha}}+\Bigl(\sum_j p_{j;\tilde{\alpha}}\Bigr)q_{i;\tilde{\alpha}}=q_{i;\tilde{\alpha}}-p_{i;\tilde{"
        r"\alpha}}",
        "the error factor of the cross-entropy loss",
    ),
    Claim(
        "PDLT.10.20", "PDLT eqs. (10.19), (10.20)",
        r"z_{i;\delta_1}^{(L)}(t=1)=z_{i;\delta_1}^{(L)}+\sum_\mu \frac{dz_{i;\delta_1}^{(L)}}{d\theta_\mu}\vec{d}"
        r"\theta_\mu+O\Bigl(\frac{1}{n}\Bigr)=z_{i;\delta_1}^{(L)}-\eta \sum_{\tilde{\alpha}_2,\tilde{\alpha}_3 \in "
        r"\mathcal{A}}\Theta_{\delta_1 \tilde{\alpha}_2}^{(L)}\kappa^{\tilde{\alpha}_2 \tilde{\alpha}_3}\frac{"
        r"\partial \mathcal{L}_{\mathcal{A}}}{\partial z_{i;\tilde{\alpha}_3}^{(L)}}+O\Bigl(\frac{1}{n}\Bigr)",
        "what a second-order update does to the outputs",
    ),
    Claim(
        "PDLT.10.23", "PDLT eqs. (10.22), (10.23)",
        r"\mathcal{L}_{\mathcal{A},\kappa}(\theta)=\frac{1}{2}\sum_{i=1}^{n_L}\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2"
        r" \in \mathcal{A}}\kappa^{\tilde{\alpha}_1 \tilde{\alpha}_2}\bigl(z_{i;\tilde{\alpha}_1}^{(L)}-y_{i;\tilde{"
        r"\alpha}_1}\bigr)\bigl(z_{i;\tilde{\alpha}_2}^{(L)}-y_{i;\tilde{\alpha}_2}\bigr),\quad \frac{\partial "
        r"\mathcal{L}_{\mathcal{A}}}{\partial z_{i;\tilde{\alpha}_2}^{(L)}}=\sum_{\tilde{\alpha}_3 \in \mathcal{A}}"
        r"\kappa^{\tilde{\alpha}_2 \tilde{\alpha}_3}\bigl(z_{i;\tilde{\alpha}_3}^{(L)}-y_{i;\tilde{\alpha}_3}\bigr)",
        "a second-order update is plain gradient descent on a generalised loss",
    ),
    Claim(
        "PDLT.10.28", "PDLT eq. (10.28)",
        r"z_{i;\delta}^{(L)}(t=1)=z_{i;\delta}^{(L)}-\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2 \in \mathcal{A}}\Theta_{"
        r"\delta \tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{\tilde{\alpha}_1 \tilde{\alpha}_2}\bigl(z_{i;\tilde{"
        r"\alpha}_2}^{(L)}-y_{i;\tilde{\alpha}_2}\bigr)",
        "Newton's method trains fully in one step",
    ),
    Claim(
        "PDLT.10.31", "PDLT footnote 8, eq. (10.31)",
        r"L(x_{t+1})=L(x_t)-\eta_t L'(x_t)^2+\frac{\eta_t^2}{2}L'(x_t)^2 L''(x_t)+O(\eta_t^3)",
        "the best learning rate to second order",
    ),
    Claim(
        "PDLT.10.35", "PDLT eq. (10.35)",
        r"z_{i;\delta}^{(L)}(T)=z_{i;\delta}^{(L)}(t=0)-\sum_{t=0}^{T-2}\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2}"
        r"\Theta_{\delta \tilde{\alpha}_1}^{(L)}\eta(t)\kappa^{\tilde{\alpha}_1 \tilde{\alpha}_2}(t)\epsilon_{i;"
        r"\tilde{\alpha}_2}(t)-\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2}\Theta_{\delta \tilde{\alpha}_1}^{(L)}\tilde{"
        r"\Theta}_{(L)}^{\tilde{\alpha}_1 \tilde{\alpha}_2}\Bigl\{\Bigl[z_{i;\tilde{\alpha}_2}^{(L)}(t=0)-\sum_{t=0}^"
        r"{T-2}\sum_{\tilde{\alpha}_3,\tilde{\alpha}_4}\tilde{\Theta}_{\tilde{\alpha}_2 \tilde{\alpha}_3}^{(L)}\eta(t"
        r")\kappa^{\tilde{\alpha}_3 \tilde{\alpha}_4}(t)\epsilon_{i;\tilde{\alpha}_4}(t)\Bigr]-y_{i;\tilde{\alpha}_2}"
        r"\Bigr\}=z_{i;\delta}^{(L)}(t=0)-\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\delta "
        r"\tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{\tilde{\alpha}_1 \tilde{\alpha}_2}\bigl[z_{i;\tilde{\alpha}_2}"
        r"^{(L)}(t=0)-y_{i;\tilde{\alpha}_2}\bigr]",
        "the end of training does not depend on the algorithm",
    ),
    Claim(
        "PDLT.10.2.3-shift", "PDLT section 10.2.3",
        r"\text{a shift }y_{i;\tilde\alpha}\to y_{i;\tilde\alpha}+c_{\tilde\alpha}\text{ in the giant-leap solution ("
        r"10.35) shifts all the output components by the same amount for each input }x_\delta,\ \sum_{\tilde\alpha_1,"
        r"\tilde\alpha_2\in\mathcal A}\Theta_{\delta\tilde\alpha_1}^{(L)}\tilde\Theta_{(L)}^{\tilde\alpha_1\tilde"
        r"\alpha_2}c_{\tilde\alpha_2}",
        "the cross-entropy fixes its targets up to a shift, which does not matter",
    ),
    Claim(
        "PDLT.10.40",
        "PDLT eq. (10.40)",
        r"m_{i;\dot{\beta}}^\infty \equiv \mathbb{E}\bigl[z_{i;\dot{\beta}}^{(L)}(T)\bigr]=\sum_{\tilde{\alpha}_1,"
        r"\tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\dot{\beta}\tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{\tilde{"
        r"\alpha}_1\tilde{\alpha}_2}y_{i;\tilde{\alpha}_2}",
        "the mean prediction over networks",
    ),
    Claim(
        "PDLT.10.41", "PDLT eq. (10.41)",
        r"\mathrm{Cov}\bigl[z_{i_1;\dot{\beta}_1}^{(L)}(T),z_{i_2;\dot{\beta}_2}^{(L)}(T)\bigr]\equiv \mathbb{E}\bigl"
        r"[z_{i_1;\dot{\beta}_1}^{(L)}(T)z_{i_2;\dot{\beta}_2}^{(L)}(T)\bigr]-m_{i_1;\dot{\beta}_1}^\infty m_{i_2;"
        r"\dot{\beta}_2}^\infty=\delta_{i_1 i_2}\Bigl[K_{\dot{\beta}_1 \dot{\beta}_2}^{(L)}-\sum_{\tilde{\alpha}_1,"
        r"\tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\dot{\beta}_2 \tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{\tilde{"
        r"\alpha}_1 \tilde{\alpha}_2}K_{\dot{\beta}_1 \tilde{\alpha}_2}^{(L)}-\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2"
        r" \in \mathcal{A}}\Theta_{\dot{\beta}_1 \tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{\tilde{\alpha}_1 \tilde"
        r"{\alpha}_2}K_{\dot{\beta}_2 \tilde{\alpha}_2}^{(L)}+\sum_{\tilde{\alpha}_1,\tilde{\alpha}_2,\tilde{\alpha}_"
        r"3,\tilde{\alpha}_4 \in \mathcal{A}}\Theta_{\dot{\beta}_1 \tilde{\alpha}_1}^{(L)}\tilde{\Theta}_{(L)}^{"
        r"\tilde{\alpha}_1 \tilde{\alpha}_2}\Theta_{\dot{\beta}_2 \tilde{\alpha}_3}^{(L)}\tilde{\Theta}_{(L)}^{\tilde"
        r"{\alpha}_3 \tilde{\alpha}_4}K_{\tilde{\alpha}_4 \tilde{\alpha}_2}^{(L)}\Bigr]",
        "the covariance of predictions over networks",
    ),
    Claim(
        "PDLT.10.52", "PDLT eq. (10.52)",
        r"\mathbb{E}[\mathcal{L}_{\mathcal{B}}(T)]=\mathbb{E}\Bigl[\frac{1}{2}\sum_{i=1}^{n_L}\sum_{\beta \in "
        r"\mathcal{B}}\bigl(z_{i;\beta}^{(L)}(T)-y_{i;\beta}\bigr)^2 \Bigr]=\mathbb{E}\Bigl[\frac{1}{2}\sum_{i=1}^{n_"
        r"L}\sum_{\beta \in \mathcal{B}}\bigl(z_{i;\beta}^{(L)}(T)-m_{i;\beta}^{\infty}+m_{i;\beta}^{\infty}-y_{i;"
        r"\beta}\bigr)^2 \Bigr]=\frac{1}{2}\sum_{\beta \in \mathcal{B}}\Bigl\{\sum_{i=1}^{n_L}\bigl(m_{i;\beta}^{"
        r"\infty}-y_{i;\beta}\bigr)^2+\sum_{i=1}^{n_L}\mathrm{Cov}\bigl[z_{i;\beta}^{(L)}(T),z_{i;\beta}^{(L)}(T)"
        r"\bigr]\Bigr\}",
        "bias and variance of the squared error",
    ),
    Claim(
        "PDLT.10.55", "PDLT eq. (10.55)",
        r"\mathbb{E}[\mathcal{L}_{\mathcal{B}}]=\mathcal{L}_{\mathcal{B}}(m^{\infty})+\frac{1}{2}\sum_{i_1,i_2,\dot{"
        r"\beta}_1,\dot{\beta}_2}\frac{\partial^2 \mathcal{L}_{\mathcal{B}}}{\partial z_{i_1;\dot{\beta}_1}^{(L)}"
        r"\partial z_{i_2;\dot{\beta}_2}^{(L)}}\bigg|_{z^{(L)}=m^{\infty}}\mathrm{Cov}\bigl[z_{i_1;\dot{\beta}_1}^{(L"
        r")}(T),z_{i_2;\dot{\beta}_2}^{(L)}(T)\bigr]+\cdots",
        "bias and variance of any smooth loss",
    ),
    Claim(
        "PDLT.10.123", "PDLT eq. (10.123)",
        r"W_{ij}^*=\sum_{k=0}^{n_f}\sum_{\tilde{\alpha}\in \mathcal{A}}y_{i;\tilde{\alpha}}\phi_k(x_{\tilde{\alpha}})"
        r"\bigl(M^{-1}\bigr)_{kj}",
        "linear regression",
    ),
    Claim(
        "PDLT.10.127", "PDLT footnote 44, eq. (10.127)",
        r"M_{ij}=2a \delta_{ij}+\sum_{\tilde{\alpha}\in \mathcal{A}}\phi_i(x_{\tilde{\alpha}})\phi_j(x_{\tilde{\alpha"
        r"}})",
        "linear regression with a penalty, and the regimes without",
    ),
    Claim(
        "PDLT.10.131", "PDLT eqs. (10.129)-(10.131)",
        r"\Bigl[\sum_{j,k=0}^{n_f}\phi_j(x_{\dot{\beta}})(M^{-1})_{jk}\phi_k(x_{\tilde{\alpha}_2})\Bigr]=\sum_{\tilde"
        r"{\alpha}_1 \in \mathcal{A}}k_{\dot{\beta}\tilde{\alpha}_1}\tilde{k}^{\tilde{\alpha}_1\tilde{\alpha}_2},"
        r"\quad \text{for this inverse to exist and for this equation to hold, we must be in the overparameterized re"
        r"gime with }(n_f+1)\ge N_{\mathcal A}",
        "the dual form of linear regression",
    ),
    Claim(
        "PDLT.10.133", "PDLT footnote 46, eq. (10.133)",
        r"k_{\delta_1\delta_2}\equiv \exp \Bigl[-\frac{1}{2\sigma^2}\sum_{i=1}^{n_0}(x_{i;\delta_1}-x_{i;\delta_2})^2"
        r" \Bigr],\quad \text{implies an infinite-dimensional feature space}",
        "the feature space of the Gaussian kernel",
    ),
)
