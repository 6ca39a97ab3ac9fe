r"""Claims about layer recursions and gradients that random networks of finite width decide, of all five sources."""

from asympt.claims.claim import Claim
from asympt.claims.finite_width import hdr, pdlt, slides, training

HDR = (
    Claim(
        "HDR.L2", "HDR Lemma 2",
        r"K_{ii'}^L(x,x')=\delta_{ii'}K^L(x,x'),\quad K^L(x,x')=\dot\Sigma^L(x,x')K^{L-1}(x,x')+\Sigma^L(x,x')",
        "the NTK of a fully connected network", hdr.tangent_kernel,
    ),
    Claim(
        "HDR.B1.sigma", "HDR App. B.1",
        r"\Sigma^l(x,x')=\sigma_b^2+\sigma_w^2\mathbb E_{z\sim\mathcal N(0,\Sigma^{l-1})}[\phi(z(x))\phi(z(x'))]",
        "the covariance of a fully connected network", hdr.covariances,
    ),
    Claim(
        "HDR.P1", "HDR Proposition 1",
        r"K_{(i,\alpha),(i',\alpha')}^1(x,x')=\delta_{ii'}\Big(\frac{\sigma_w^2}{n_0(2k+1)}[x,x']_{\alpha,\alpha'}+"
        r"\sigma_b^2\Big),\quad K_{\alpha,\alpha'}^l=\frac1{2k+1}\sum_{\beta\in ker_l}\bigl[\dot\Sigma_{\alpha+\beta,"
        r"\alpha'+\beta}^lK_{\alpha+\beta,\alpha'+\beta}^{l-1}+\Sigma_{\alpha+\beta,\alpha'+\beta}^l\bigr]",
        "the NTK of a convolutional network on a circle", hdr.convolution,
    ),
    Claim(
        "HDR.L3", "HDR Lemma 3",
        r"K_{ii'}^{res,1}(x,x')=\delta_{ii'}(\sigma_b^2+\frac{\sigma_w^2}dx\cdot x'),\quad K_{res}^l(x,x')=K_{res}^{l"
        r"-1}(x,x')(\dot\Sigma^l(x,x')+1)+\Sigma^l(x,x')",
        "the NTK of a residual network, layer 1 without residual", hdr.residual,
    ),
    Claim(
        "HDR.L4",
        "HDR Lemma 4",
        r"K_{\alpha,\alpha'}^{res,l}=K_{\alpha,\alpha'}^{res,l-1}+\frac1{2k+1}\sum_\beta\bigl[\dot\Sigma_{\alpha+"
        r"\beta,\alpha'+\beta}^lK_{\alpha+\beta,\alpha'+\beta}^{res,l-1}+\Sigma_{\alpha+\beta,\alpha'+\beta}^l\bigr]",
        "the NTK of a convolutional residual network",
        hdr.residual_convolution,
    ),
    Claim(
        "HDR.P3.rec", "HDR App. B.3, proof of Proposition 3",
        r"K_{res}^l(x,x)=K_{res}^{l-1}(x,x)(1+\frac{\sigma_w^2}{2l})+\Sigma^l(x,x)",
        "the NTK of one input in a residual network scaled by 1/sqrt(l); what is added has no factor 1/l",
        hdr.scaled_residual,
    ),
)

SLIDES = (
    Claim(
        "JGH.T2.sigma1", "JGH slides, Theorem 2",
        r"\Sigma^{(1)}(x,x')=\frac1{\sqrt{d_0}}x^Tx'+\beta^2",
        "the covariance of the first layer",
    ),
    Claim(
        "JGH.base", "JGH slides, Base Case: L = 1",
        r"\Theta_{k,k'}^{(1)}(x,x')=\sum_{i=1}^{d_0}\sum_{j=1}^{d_1}\partial_{W_{ij}^{(0)}}f_{\theta,k}(x)\partial_{W"
        r"_{ij}^{(0)}}f_{\theta,k'}(x')=\sum_{i=1}^{d_0}\sum_{j=1}^{d_1}\frac1{d_0}x_j\mathbb 1_{\{k=i\}}x'_j\mathbb "
        r"1_{\{k'=i\}}=\frac1{d_0}x^Tx'\mathbb 1_{\{k'=k\}}=\Sigma^{(1)}(x,x')\mathbb 1_{\{k'=k\}}",
        "the NTK of a linear network", slides.base_case,
    ),
    Claim(
        "JGH.T2.rec", "JGH slides, Theorem 2",
        r"\Sigma^{(l)}(x,x')=E_{z\sim N(0,\tilde\Sigma^{(l-1)})}[\sigma(z_1)\sigma(z_2)]+\beta^2",
        "the covariance of the other layers",
    ),
    Claim(
        "JGH.T3", "JGH slides, Theorem 3",
        r"\Theta_{0,\infty}^{(l+1)}(x,x')=\Theta_{0,\infty}^{(l)}(x,x')\dot\Sigma^{(l+1)}(x,x')+\Sigma^{(l+1)}(x,x'),"
        r"\quad \text{with }\dot\Sigma^{(l)}(x,x')=\mathbb E_{z\sim\mathcal N(0,\tilde\Sigma^{(l)})}\bigl[\dot\sigma("
        r"z_1)\dot\sigma(z_2)\bigr]",
        "the NTK at initialisation, its derivative kernel taken at layer l + 1",
    ),
    Claim(
        "JGH.T3.A", "JGH slides, proof of Theorem 3, Terms in A",
        r"\xrightarrow{d_l\to\infty}\mathbb E\bigl[W_{kj}^{(L)}W_{k'j}^{(l)}\dot\sigma\bigl(\tilde\alpha_{j,\infty}^{"
        r"(l)}(x)\bigr)\dot\sigma\bigl(\tilde\alpha_{j,\infty}^{(l)}(x')\bigr)\Theta_\infty^{(l)}(x,x')\bigr],\quad ="
        r"\Theta_\infty^{(L)}(x,x')\mathbb E\bigl[W_{kj}^{(l)}W_{k'j}^{(l)}\bigr]\mathbb E\bigl[\dot\sigma\bigl("
        r"\tilde\alpha_{j,\infty}^{(l)}(x,\tilde\theta)\bigr)\dot\sigma\bigl(\tilde\alpha_{j,\infty}^{(l)}(x')\bigr)"
        r"\bigr]",
        "what the layers below contribute to the NTK",
    ),
    Claim(
        "JGH.T3.B", "JGH slides, proof of Theorem 3, Terms in B",
        r"B=\sum_{i,j=1}^{d_l,d_{l+1}}\partial_{W_{ij}^{(l)}}f_{\theta,k}(x)\partial_{W_{ij}^{(l)}}f_{\theta,k'}(x')="
        r"\frac1{d_l}\sum_{i,j=1}^{d_l,d_{l+1}}\alpha_j^{(l)}(x)\mathbb 1_{\{k=i\}}\alpha_j(x')\mathbb 1_{\{k'=i\}}="
        r"\frac1{d_l}\sum_{j=1}^{d_{l+1}}\alpha_j^{(l)}(x)\alpha_j^{(l)}(x')\mathbb 1_{\{k=k'\}}",
        "what the last weights contribute to the NTK",
    ),
    Claim(
        "XPS.nngp", "XPS slides, Recap: NNGP",
        r"\Sigma^{(1)}(x,x')=x^Tx',\quad \Sigma^{(l+1)}(x,x')=\sigma_w^2\mathbb E_{\bigl(z\sim\mathcal N(0,\Sigma^{(l"
        r")}|_{x,x'})\bigr)}\bigl[\phi(z_1)\phi(z_2)\bigr]+\sigma_b^2",
        "the covariance of a fully connected network",
    ),
    Claim(
        "XPS.ntk", "XPS slides, Recap: Neural Tangent Kernel (II)",
        r"\Theta^{(1)}(x,x')=\Sigma^{(1)}(x,x')=x^Tx',\quad \Theta^{(l+1)}(x,x')=\Theta^{(l)}(x,x')\dot\Sigma^{(l+1)}"
        r"(x,x')+\Sigma^{(l+1)}(x,x'),\quad \dot\Sigma^{(l+1)}(x,x')=E_{z\sim N(0,\Sigma^{(l)})}[\dot\phi(z_1)\dot"
        r"\phi(z_2)]",
        "the NTK of a fully connected network, derivative kernel without sigma_w^2",
    ),
)

TBG = (
    Claim(
        "TBG.nngp.mlp", "TBG slides, Recall the NNGP",
        r"\Sigma^{(1)}(x,\tilde x)=\frac{\sigma_w^2}dx^T\tilde x,\quad \Sigma^{(l+1)}(x,\tilde x)=\sigma_w^2\mathcal "
        r"T(\Sigma^{(l)}|_{x,\tilde x})",
        "the covariance of a plain network without bias",
    ),
    Claim(
        "TBG.nngp.lastlayer", "TBG slides, Recall the NNGP",
        r"\Sigma^{(L+1)}\text{ also arises as the NTK of }f(\cdot)\text{ if only the top layer of }f\text{ is trained"
        r"}",
        "training the top layer alone",
    ),
    Claim(
        "TBG.nngp.res", "TBG slides, NNGP for ResNet",
        r"\Sigma_{res}^{(l+1)}(x,\tilde x)=\Sigma_{res}^{(l)}(x,\tilde x)+\alpha^2\sigma_v^2\sigma_w^2\mathcal T\bigl"
        r"(\Sigma_{res}^{(l)}|_{x,\tilde x}\bigr)",
        "the covariance of a residual network with two matrices a block",
    ),
    Claim(
        "TBG.nngp.base", "TBG slides, proof of the NNGP, L = 1",
        r"f(x)=x_i^{(0)}=\frac{\sigma_w}{\sqrt d}(Ux)_i=\frac{\sigma_w}{\sqrt d}\sum_{k=1}^dU_{ik}x_k\sim\mathcal N(0"
        r",\sigma_w\|x\|_2^2)",
        "the first layer",
    ),
    Claim(
        "TBG.nngp.step", "TBG slides, proof of the NNGP, induction step",
        r"\mathcal N\bigl(0,\Sigma^{(l)}(x,x)+\alpha^2\sigma_v^2\mathbb E\bigl[\phi^2\bigl(g_j^{(l+1)}(x)\bigr)\bigr]"
        r"\bigr),\quad \mathcal N\bigl(0,\Sigma^{(l)}(x,x)+\alpha^2\sigma_w^2\sigma_v^2\mathbb E\bigl[\phi^2\bigl("
        r"\sigma_w^{-1}g_j^{(l+1)}(x)\bigr)\bigr]\bigr)",
        "a scale pulled out of every activation",
    ),
    Claim(
        "TBG.ntk.mlp", "TBG slides, Recall: For f an MLP",
        r"\Theta_{MLP}^{(l+1)}(x,\tilde x)=\Theta_{MLP}^{(l)}(x,\tilde x)\dot{\mathcal T}(\Sigma^{(l+1)}|_{x,\tilde x"
        r"})+\mathcal T(\Sigma^{(l+1)}|_{x,\tilde x})",
        "the NTK of a plain network without bias",
    ),
    Claim(
        "TBG.ntk.res", "TBG slides, NTK for ResNet",
        r"\Theta_{res}^{(l+1)}(x,\tilde x)=\Sigma_{res}^{(l)}(x,\tilde x)+\Pi^{(0)}(x,\tilde x)\Sigma^{(1)}(x,\tilde "
        r"x)+\alpha^2\sum_{m=1}^l\Pi^{(m)}(x,\tilde x)\sigma_v^2\sigma_w^2\mathcal T(\Sigma^{(m)}|_{x,\tilde x})+"
        r"\alpha^2\sum_{m=1}^l\Pi^{(m)}(x,\tilde x)\Sigma^{(m)}(x,\tilde x)\dot{\mathcal T}(\Sigma^{(m)}|_{x,\tilde x"
        r"}),\quad \Pi^{(l)}(x,\tilde x)=\Pi^{(l+1)}(x,\tilde x)\bigl(1+\alpha^2\sigma_v^2\sigma_w^2\dot{\mathcal T}("
        r"\Sigma^{(l+1)}(x,\tilde x))\bigr),\quad \Pi^{(L)}(x,\tilde x)=1",
        "the NTK of a residual network with two matrices a block",
    ),
    Claim(
        "TBG.ntk.U", "TBG slides, NTK for ResNet, proof sketch (2)",
        r"\sum_{i,j=1}^{d,n}\mathbb E\Bigl[\frac{\partial f(x)}{\partial U_{ij}^{(l)}}\frac{\partial f(\tilde x)}{"
        r"\partial U_{ij}^{(l)}}\Bigr]=\frac1d\sum_{i,j=1}^{d,n}\mathbb E\Bigl[\frac{\partial f}{\partial x_i^{(0)}}x"
        r"_j\frac{\partial\tilde f}{\partial x_i^{(0)}}\tilde x_j\Bigr]=\frac1dx^T\tilde x\mathbb E\Bigl[\frac{"
        r"\partial f}{\partial x_i^{(0)}}\frac{\partial\tilde f}{\partial x_i^{(0)}}\Bigr]=\frac{K^{(1)}(x,\tilde x)}"
        r"{\sigma_w^2}\mathbb E\bigl[\bigl(\delta^{(0)}(x)\bigr)^T\delta^{(0)}(\tilde x)\bigr]",
        "what the first weights contribute to the NTK",
    ),
    Claim(
        "TBG.ntk.V", "TBG slides, NTK for ResNet, proof sketch",
        r"\Bigl\langle\frac{\partial f(x)}{\partial V^{(l)}},\frac{\partial f(\tilde x)}{\partial V^{(l)}}\Bigr"
        r"\rangle=\frac{\alpha^2\sigma_v^2}n\mathcal T(\Sigma^{(l)}|_{x,\tilde x})\mathbb E\bigl[\bigl(\delta^{(l)}"
        r"\bigr)^T\tilde\delta^{(l)}\bigr]",
        "what the outer weights of a block contribute to the NTK, with a factor 1/n",
    ),
    Claim(
        "TBG.ntk.W", "TBG slides, NTK for ResNet, proof sketch",
        r"\mathbb E\Bigl[\Bigl\langle\frac{\partial f(x)}{\partial W^{(l)}},\frac{\partial f(\tilde x)}{\partial W^{("
        r"l)}}\Bigr\rangle\Bigr]=\alpha^2\sigma_v^2\Sigma^{(l)}(x,\tilde x)\dot{\mathcal T}(\Sigma^{(l)}|_{x,\tilde x"
        r"})\mathbb E\bigl[\bigl(\delta^{(l)}\bigr)^T\tilde\delta^{(l)}\bigr]",
        "what the inner weights of a block contribute to the NTK",
    ),
    Claim(
        "TBG.ntk.Pi", "TBG slides, NTK for ResNet, proof sketch",
        r"\text{Remains to deal with }\mathbb E\bigl[\bigl(\delta^{(l)}\bigr)^T\tilde\delta^{(l)}\bigr],\quad \text{T"
        r"his is given exactly by }\Pi(x,\tilde x)\text{ in the theorem}",
        "the size of the gradient with respect to the stream",
    ),
)

PDLT = (
    Claim(
        "PDLT.10.45", "PDLT eqs. (10.44), (10.45), (10.64)",
        r"K_{\delta_1 \delta_2}^{(L)}=C_b^{(L)}+C_W^{(L)}\langle \sigma_{\delta_1}\sigma_{\delta_2}\rangle_{K^{(L-1)}"
        r"},\quad \Theta_{\delta_1\delta_2}^{(\ell+1)}=\lambda_b^{(\ell+1)}+\lambda_W^{(\ell+1)}\langle \sigma_{"
        r"\delta_1}\sigma_{\delta_2}\rangle_{K^{(\ell)}}+C_W \langle \sigma'_{\delta_1}\sigma'_{\delta_2}\rangle_{K^{"
        r"(\ell)}}\Theta_{\delta_1\delta_2}^{(\ell)}",
        "kernel and NTK with learning rates of weights and biases", pdlt.recursion,
    ),
    Claim(
        "PDLT.10.10", "PDLT eq. (10.10)",
        r"\mathbb{E}\bigl[\mathcal{O}(z^{(L)})W_{ij}^{(L)}\mathcal{Q}(z^{(L-1)})\bigr]=\frac{C_W^{(L)}}{n_{L-1}}\sum_"
        r"{\delta \in \mathcal{D}}\mathbb{E}\Bigl[\Bigl\langle \Bigl\langle \frac{\partial \mathcal{O}}{\partial z_{i"
        r";\delta}^{(L)}}\Bigr\rangle \Bigr\rangle_{\hat{G}^{(L)}}\sigma_{j;\delta}^{(L-1)}\mathcal{Q}(z^{(L-1)})"
        r"\Bigr]",
        "integration by parts over the last weights",
    ),
    Claim(
        "PDLT.10.136", "PDLT eqs. (10.135), (10.136)",
        r"\hat{k}_{\delta_1\delta_2}=C_b^{(L)}\hat{\phi}_{0;\delta_1}\hat{\phi}_{0;\delta_2}+\frac{C_W^{(L)}}{n_{L-1}"
        r"}\sum_{j=1}^{n_{L-1}}\hat{\phi}_{j;\delta_1}\hat{\phi}_{j;\delta_2}=C_b^{(L)}+C_W^{(L)}\Bigl(\frac{1}{n_{L-"
        r"1}}\sum_{j=1}^{n_{L-1}}\sigma_{j;\delta_1}^{(L-1)}\sigma_{j;\delta_2}^{(L-1)}\Bigr),\quad \mathbb{E}\bigl["
        r"\hat{k}_{\delta_1 \delta_2}\bigr]=C_b^{(L)}+C_W^{(L)}\langle \sigma_{\delta_1}\sigma_{\delta_2}\rangle_{K^{"
        r"(L-1)}}=K_{\delta_1 \delta_2}^{(L)}",
        "the kernel of random features", pdlt.random_features,
    ),
    Claim(
        "PDLT.10.138", "PDLT eqs. (10.137)-(10.141)",
        r"\hat{\phi}_{i,W_{k_1 k_2}^{(\ell)}}(x_\delta)=\Bigl(\sum_{j_{L-1},\dots,j_{\ell+1}}W_{ij_{L-1}}^{(L)}\sigma"
        r"_{j_{L-1};\delta}'^{(L-1)}\dots W_{j_{\ell+1}k_1}^{(\ell+1)}\sigma_{k_1;\delta}'^{(\ell)}\Bigr)\sigma_{k_2;"
        r"\delta}^{(\ell-1)},\quad k_{\delta_1\delta_2}\equiv \sum_{\mu,\nu}\lambda_{\mu\nu}\hat{\phi}_{i,\mu}(x_{"
        r"\delta_1})\hat{\phi}_{i,\nu}(x_{\delta_2})=\sum_{\mu,\nu}\lambda_{\mu\nu}\frac{dz_{i;\delta_1}^{(L)}}{d"
        r"\theta_\mu}\frac{dz_{i;\delta_2}^{(L)}}{d\theta_\nu}\equiv \Theta_{\delta_1\delta_2}^{(L)}",
        "the features of the linear model behind a network", pdlt.features,
    ),
)

TRAINING = (
    Claim(
        "PDLT.10.11", "PDLT eqs. (10.9)-(10.11)",
        r"\mathbb{E}\bigl[\vec{d}z_{j;\delta}^{(L-1)}\bigr]=-\eta \frac{C_W^{(L)}}{n_{L-1}}\sum_{i=1}^{n_L}\sum_{"
        r"\tilde{\alpha}_1 \tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\delta\tilde{\alpha}_1}^{(L-1)}\mathbb{E}\Bigl["
        r"\Bigl\langle \Bigl\langle \frac{\partial^2 \mathcal{L}_{\mathcal{A}}}{\partial z_{i;\tilde{\alpha}_1}^{(L)}"
        r"\partial z_{i;\tilde{\alpha}_2}^{(L)}}\Bigr\rangle \Bigr\rangle_{\hat{G}^{(L)}}\sigma_{j;\tilde{\alpha}_2}^"
        r"{(L-1)}\sigma_{j;\tilde{\alpha}_1}'^{(L-1)}\Bigr]=-\eta \frac{C_W^{(L)}}{n_{L-1}}\sum_{\tilde{\alpha}_1,"
        r"\tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\delta\tilde{\alpha}_1}^{(L-1)}\sum_{i=1}^{n_L}\Bigl\langle \Bigl"
        r"\langle \frac{\partial^2 \mathcal{L}_{\mathcal{A}}}{\partial z_{i;\tilde{\alpha}_1}^{(L)}\partial z_{i;"
        r"\tilde{\alpha}_2}^{(L)}}\Bigr\rangle \Bigr\rangle_{K^{(L)}}\langle \sigma'_{\tilde{\alpha}_1}\sigma_{\tilde"
        r"{\alpha}_2}\rangle_{K^{(L-1)}}+O\Bigl(\frac{1}{n^2}\Bigr)",
        "the mean first step of the penultimate layer", training.mean_update,
    ),
    Claim(
        "PDLT.10.12",
        "PDLT eq. (10.12)",
        r"\mathbb{E}\bigl[\vec{d}z_{j_1;\delta_1}^{(L-1)}\vec{d}z_{j_2;\delta_2}^{(L-1)}\bigr]=\eta^2 \sum_{i_1,i_2=1"
        r"}^{n_L}\sum_{\tilde{\alpha}_1 \tilde{\alpha}_2 \in \mathcal{A}}\Theta_{\delta_1 \tilde{\alpha}_1}^{(L-1)}"
        r"\Theta_{\delta_2 \tilde{\alpha}_2}^{(L-1)}\mathbb{E}\Bigl[\frac{\partial \mathcal{L}_{\mathcal{A}}}{"
        r"\partial z_{i_1;\tilde{\alpha}_1}^{(L)}}\frac{\partial \mathcal{L}_{\mathcal{A}}}{\partial z_{i_2;\tilde{"
        r"\alpha}_2}^{(L)}}W_{i_1 j_1}^{(L)}W_{i_2 j_2}^{(L)}\sigma_{j_1;\tilde{\alpha}_1}'^{(L-1)}\sigma_{j_2;\tilde"
        r"{\alpha}_2}'^{(L-1)}\Bigr]=\delta_{j_1 j_2}\eta^2 \frac{C_W^{(L)}}{n_{L-1}}\sum_{\tilde{\alpha}_1 \tilde{"
        r"\alpha}_2 \in \mathcal{A}}\Theta_{\delta_1 \tilde{\alpha}_1}^{(L-1)}\Theta_{\delta_2 \tilde{\alpha}_2}^{(L-"
        r"1)}\sum_{i=1}^{n_L}\Bigl\langle \Bigl\langle \frac{\partial \mathcal{L}_{\mathcal{A}}}{\partial z_{i_1;"
        r"\tilde{\alpha}_1}^{(L)}}\frac{\partial \mathcal{L}_{\mathcal{A}}}{\partial z_{i_2;\tilde{\alpha}_2}^{(L)}}"
        r"\Bigr\rangle \Bigr\rangle_{K^{(L)}}\langle \sigma'_{\tilde{\alpha}_1}\sigma'_{\tilde{\alpha}_2}\rangle_{K^{"
        r"(L-1)}}+O\Bigl(\frac{1}{n^2}\Bigr)",
        "the second moment of that step, from the frozen NTK alone",
        training.variance_of_updates,
    ),
    Claim(
        "PDLT.10.13", "PDLT eqs. (10.12), (10.13)",
        r"\mathrm{Cov}\bigl[\vec{d}z_{j_1;\delta_1}^{(L-1)},\vec{d}z_{j_2;\delta_2}^{(L-1)}\bigr]\equiv \mathbb{E}"
        r"\bigl[\vec{d}z_{j_1;\delta_1}^{(L-1)}\vec{d}z_{j_2;\delta_2}^{(L-1)}\bigr]-\mathbb{E}\bigl[\vec{d}z_{j_1;"
        r"\delta_1}^{(L-1)}\bigr]\mathbb{E}\bigl[\vec{d}z_{j_2;\delta_2}^{(L-1)}\bigr]=O\Bigl(\frac{1}{n}\Bigr)",
        "the covariance of that step", training.covariance_of_updates,
    ),
    Claim(
        "JGH.T4", "JGH slides, Theorem 4",
        r"\Theta_t^{(L)}\xrightarrow{d_1,\dots,d_{L-1}\to\infty}\Theta_\infty^{(L)}\otimes\mathbb 1_{d_L\times d_L}",
        "the NTK stays during training", training.kernel_stays,
    ),
    Claim(
        "JGH.T4.rate", "JGH slides, proof sketch of Theorem 4",
        r"\partial_t\Theta_\infty^{(l+1)}(x,x')\sim\lim_{d_l\to\infty}\frac1{d_l}\sum_{j=1}^{d_l}\mathcal O(\partial_"
        r"tW_{kj}^{(l)})+\mathcal O(\partial_t\tilde\alpha_j^{(l)})+\mathcal O(\partial_t\alpha_j^{(l)})\sim\mathcal "
        r"O(\partial_tW_{kj}^{(l)})+\mathcal O(\partial_t\tilde\alpha_j^{(l)})+\mathcal O(\partial_t\alpha_j^{(l)})="
        r"\mathcal O\Bigl(\frac1{\sqrt{d_l}}\Bigr)",
        "how fast it moves at finite width", training.kernel_stays,
    ),
)

CLAIMS = (*HDR, *SLIDES, *TBG, *PDLT, *TRAINING)
