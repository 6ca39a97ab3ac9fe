r"""Claims about layer recursions and gradients that random networks of finite width decide, of all five sources."""

from asympt.claims.claim import Claim
from asympt.claims.finite_width import hdr, pdlt, slides, training

HDR = (
    Claim(
        "HDR.L2", "HDR Lemma 2",
        r"K^L_{ii'}=\delta_{ii'}K^L,\ K^L=\dot\Sigma^LK^{L-1}+\Sigma^L,\ K^1=\Sigma^1",
        "the NTK of a fully connected network", hdr.tangent_kernel,
    ),
    Claim(
        "HDR.B1.sigma", "HDR App. B.1",
        r"\Sigma^l(x,x')=\sigma_b^2+\sigma_w^2E_{z\sim N(0,\Sigma^{l-1})}[\phi(z(x))\phi(z(x'))]",
        "the covariance of a fully connected network", hdr.covariances,
    ),
    Claim(
        "HDR.P1", "HDR Proposition 1",
        r"K^l_{\alpha\alpha'}=\frac1{2k+1}\sum_{\beta=-k}^k\left[\dot\Sigma^l_{\alpha+\beta,\alpha'+\beta}"
        r"K^{l-1}_{\alpha+\beta,\alpha'+\beta}+\Sigma^l_{\alpha+\beta,\alpha'+\beta}\right]",
        "the NTK of a convolutional network on a circle", hdr.convolution,
    ),
    Claim(
        "HDR.L3", "HDR Lemma 3",
        r"K^l_{res}=K^{l-1}_{res}(\dot\Sigma^l+1)+\Sigma^l",
        "the NTK of a residual network, layer 1 without residual", hdr.residual,
    ),
    Claim(
        "HDR.L4",
        "HDR Lemma 4",
        r"K^{res,l}_{\alpha\alpha'}=K^{res,l-1}_{\alpha\alpha'}+\frac1{2k+1}\sum_\beta\left[\dot\Sigma^l"
        r"_{\alpha+\beta,\alpha'+\beta}K^{res,l-1}_{\alpha+\beta,\alpha'+\beta}+\Sigma^l_{\alpha+\beta,\alpha'+\beta}\right]",
        "the NTK of a convolutional residual network",
        hdr.residual_convolution,
    ),
    Claim(
        "HDR.P3.rec", "HDR App. B.3, proof of Proposition 3",
        r"K^l_{res}(x,x)=K^{l-1}_{res}(x,x)\left(1+\frac{\sigma_w^2}{2l}\right)+\Sigma^l(x,x)",
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
        r"\Theta^{(1)}_{kk'}(x,x')=\frac1{d_0}x^Tx'1_{k=k'}=\Sigma^{(1)}(x,x')1_{k=k'}",
        "the NTK of a linear network", slides.base_case,
    ),
    Claim(
        "JGH.T2.rec", "JGH slides, Theorem 2",
        r"\Sigma^{(l)}(x,x')=E_{z\sim N(0,\tilde\Sigma^{(l-1)})}[\sigma(z_1)\sigma(z_2)]+\beta^2",
        "the covariance of the other layers",
    ),
    Claim(
        "JGH.T3", "JGH slides, Theorem 3",
        r"\Theta^{(l+1)}=\Theta^{(l)}\dot\Sigma^{(l+1)}+\Sigma^{(l+1)},\ "
        r"\dot\Sigma^{(l)}=E_{z\sim N(0,\tilde\Sigma^{(l)})}[\dot\sigma(z_1)\dot\sigma(z_2)]",
        "the NTK at initialisation, its derivative kernel taken at layer l + 1",
    ),
    Claim(
        "JGH.T3.A", "JGH slides, proof of Theorem 3, Terms in A",
        r"A\to\Theta^{(l)}_\infty1_{k=k'}E[\dot\sigma(\tilde\alpha^{(l)}(x))\dot\sigma(\tilde\alpha^{(l)}(x'))]",
        "what the layers below contribute to the NTK",
    ),
    Claim(
        "JGH.T3.B", "JGH slides, proof of Theorem 3, Terms in B",
        r"B=\frac1{d_l}\sum_j\alpha_j^{(l)}(x)\alpha_j^{(l)}(x')1_{k=k'}\to\Sigma^{(l+1)}1_{k=k'}",
        "what the last weights contribute to the NTK",
    ),
    Claim(
        "XPS.nngp", "XPS slides, Recap: NNGP",
        r"\Sigma^{(1)}(x,x')=x^Tx',\ \Sigma^{(l+1)}=\sigma_w^2E_{z\sim N(0,\Sigma^{(l)})}[\phi(z_1)\phi(z_2)]"
        r"+\sigma_b^2",
        "the covariance of a fully connected network",
    ),
    Claim(
        "XPS.ntk", "XPS slides, Recap: Neural Tangent Kernel (II)",
        r"\Theta^{(1)}=\Sigma^{(1)}=x^Tx',\ \Theta^{(l+1)}=\Theta^{(l)}\dot\Sigma^{(l+1)}+\Sigma^{(l+1)},\ "
        r"\dot\Sigma^{(l+1)}=E_{z\sim N(0,\Sigma^{(l)})}[\dot\phi(z_1)\dot\phi(z_2)]",
        "the NTK of a fully connected network, derivative kernel without sigma_w^2",
    ),
)

TBG = (
    Claim(
        "TBG.nngp.mlp", "TBG slides, Recall the NNGP",
        r"\Sigma^{(1)}=\frac{\sigma_w^2}dx^T\tilde x,\ \Sigma^{(l+1)}=\sigma_w^2\mathcal T(\Sigma^{(l)})",
        "the covariance of a plain network without bias",
    ),
    Claim(
        "TBG.nngp.lastlayer", "TBG slides, Recall the NNGP",
        r"\Sigma^{(L+1)}=\text{NTK when only the top layer is trained}",
        "training the top layer alone",
    ),
    Claim(
        "TBG.nngp.res", "TBG slides, NNGP for ResNet",
        r"\Sigma^{(l+1)}_{res}=\Sigma^{(l)}_{res}+\alpha^2\sigma_v^2\sigma_w^2\mathcal T(\Sigma^{(l)}_{res})",
        "the covariance of a residual network with two matrices a block",
    ),
    Claim(
        "TBG.nngp.base", "TBG slides, proof of the NNGP, L = 1",
        r"\frac{\sigma_w}{\sqrt d}(Ux)_i\sim N(0,\sigma_w\|x\|_2^2),\ \text{covariance}\ \frac{\sigma_w^2}dx^T\tilde x",
        "the first layer",
    ),
    Claim(
        "TBG.nngp.step", "TBG slides, proof of the NNGP, induction step",
        r"E[\phi^2(g)]=\sigma_w^2E[\phi^2(\sigma_w^{-1}g)]",
        "a scale pulled out of every activation",
    ),
    Claim(
        "TBG.ntk.mlp", "TBG slides, Recall: For f an MLP",
        r"\Theta^{(l+1)}=\Theta^{(l)}\dot{\mathcal T}(\Sigma^{(l+1)})+\mathcal T(\Sigma^{(l+1)})",
        "the NTK of a plain network without bias",
    ),
    Claim(
        "TBG.ntk.res", "TBG slides, NTK for ResNet",
        r"\Theta_{res}=\Sigma^{(l)}+\Pi^{(0)}\Sigma^{(1)}+\alpha^2\sum_m\Pi^{(m)}\sigma_v^2\sigma_w^2"
        r"\mathcal T(\Sigma^{(m)})+\alpha^2\sum_m\Pi^{(m)}\Sigma^{(m)}\dot{\mathcal T}(\Sigma^{(m)})",
        "the NTK of a residual network with two matrices a block",
    ),
    Claim(
        "TBG.ntk.U", "TBG slides, NTK for ResNet, proof sketch (2)",
        r"\langle\partial_Uf,\partial_U\tilde f\rangle\to\frac{\Sigma^{(1)}}{\sigma_w^2}"
        r"E[\delta^{(0)T}\tilde\delta^{(0)}]",
        "what the first weights contribute to the NTK",
    ),
    Claim(
        "TBG.ntk.V", "TBG slides, NTK for ResNet, proof sketch",
        r"\langle\partial_{V^{(l)}}f,\partial_{V^{(l)}}\tilde f\rangle=\frac{\alpha^2\sigma_v^2}n"
        r"\mathcal T(\Sigma^{(l)})E[\delta^{(l)T}\tilde\delta^{(l)}]",
        "what the outer weights of a block contribute to the NTK, with a factor 1/n",
    ),
    Claim(
        "TBG.ntk.W", "TBG slides, NTK for ResNet, proof sketch",
        r"E\langle\partial_{W^{(l)}}f,\partial_{W^{(l)}}\tilde f\rangle=\alpha^2\sigma_v^2\Sigma^{(l)}"
        r"\dot{\mathcal T}(\Sigma^{(l)})E[\delta^{(l)T}\tilde\delta^{(l)}]",
        "what the inner weights of a block contribute to the NTK",
    ),
    Claim(
        "TBG.ntk.Pi", "TBG slides, NTK for ResNet, proof sketch",
        r"E[\delta^{(l)T}\tilde\delta^{(l)}]=\Pi^{(l)},\ \delta^{(L)}=\frac{\sigma_w}{\sqrt n}w^{(L+1)}",
        "the size of the gradient with respect to the stream",
    ),
)

PDLT = (
    Claim(
        "PDLT.10.45", "PDLT eqs. (10.44), (10.45), (10.64)",
        r"K^{(\ell+1)}=C_b+C_W\langle\sigma\sigma\rangle_{K^{(\ell)}},\ \Theta^{(\ell+1)}=\lambda_b+\lambda_W"
        r"\langle\sigma\sigma\rangle_{K^{(\ell)}}+C_W\langle\sigma'\sigma'\rangle_{K^{(\ell)}}\Theta^{(\ell)}",
        "kernel and NTK with learning rates of weights and biases", pdlt.recursion,
    ),
    Claim(
        "PDLT.10.10", "PDLT eq. (10.10)",
        r"E[\mathcal O(z^{(L)})W_{ij}\mathcal Q]=\frac{C_W}{n_{L-1}}\sum_\delta E\left[\left\langle\left\langle"
        r"\frac{\partial\mathcal O}{\partial z_{i;\delta}}\right\rangle\right\rangle\sigma_{j;\delta}\mathcal Q\right]",
        "integration by parts over the last weights",
    ),
    Claim(
        "PDLT.10.136", "PDLT eqs. (10.135), (10.136)",
        r"C_b+C_W\frac1{n_{L-1}}\sum_j\sigma_{j;\delta_1}\sigma_{j;\delta_2}\to C_b+C_W\langle\sigma\sigma\rangle"
        r"_{K^{(L-1)}}=K^{(L)}",
        "the kernel of random features", pdlt.random_features,
    ),
    Claim(
        "PDLT.10.138", "PDLT eqs. (10.137)-(10.141)",
        r"\frac{dz^{(L)}_i}{dW^{(\ell)}_{k_1k_2}}=\left(\sum W^{(L)}\sigma'^{(L-1)}\cdots W^{(\ell+1)}_{j_{\ell+1}k_1}"
        r"\sigma'^{(\ell)}_{k_1}\right)\sigma^{(\ell-1)}_{k_2},"
        r"\ \sum\lambda_{\mu\nu}\hat\phi_\mu\hat\phi_\nu=\text{NTK}",
        "the features of the linear model behind a network", pdlt.features,
    ),
)

TRAINING = (
    Claim(
        "PDLT.10.11", "PDLT eqs. (10.9)-(10.11)",
        r"E[dz^{(L-1)}_{j;\delta}]=-\eta\frac{C_W}{n_{L-1}}\sum_{\tilde\alpha_1\tilde\alpha_2}\Theta^{(L-1)}"
        r"_{\delta\tilde\alpha_1}\sum_i\left\langle\left\langle\frac{\partial^2\mathcal L}"
        r"{\partial z_{i;\tilde\alpha_1}\partial z_{i;\tilde\alpha_2}}\right\rangle\right\rangle_{K^{(L)}}"
        r"\langle\sigma'_{\tilde\alpha_1}\sigma_{\tilde\alpha_2}\rangle_{K^{(L-1)}}+O(n^{-2})",
        "the mean first step of the penultimate layer", training.mean_update,
    ),
    Claim(
        "PDLT.10.12",
        "PDLT eq. (10.12)",
        r"E[dz_{j_1;\delta_1}dz_{j_2;\delta_2}]=\delta_{j_1j_2}\eta^2\frac{C_W}{n_{L-1}}\sum\Theta^{(L-1)}"
        r"_{\delta_1\tilde\alpha_1}\Theta^{(L-1)}_{\delta_2\tilde\alpha_2}\sum_i\langle\langle\epsilon\epsilon\rangle\rangle"
        r"_{K^{(L)}}\langle\sigma'_{\tilde\alpha_1}\sigma'_{\tilde\alpha_2}\rangle_{K^{(L-1)}}+O(n^{-2})",
        "the second moment of that step, from the frozen NTK alone",
        training.variance_of_updates,
    ),
    Claim(
        "PDLT.10.13", "PDLT eqs. (10.12), (10.13)",
        r"\mathrm{Cov}[dz_{j_1;\delta_1}^{(L-1)},dz_{j_2;\delta_2}^{(L-1)}]=O(1/n)",
        "the covariance of that step", training.covariance_of_updates,
    ),
    Claim(
        "JGH.T4", "JGH slides, Theorem 4",
        r"\Theta_t^{(L)}\to\Theta_\infty^{(L)}\otimes1_{d_L\times d_L}\ \text{for all}\ t\in[0,T]",
        "the NTK stays during training", training.kernel_stays,
    ),
    Claim(
        "JGH.T4.rate", "JGH slides, proof sketch of Theorem 4",
        r"\partial_t\Theta^{(l+1)}=O(\partial_tW)+O(\partial_t\tilde\alpha)+O(\partial_t\alpha)=O(d_l^{-1/2})",
        "how fast it moves at finite width", training.kernel_stays,
    ),
)

CLAIMS = (*HDR, *SLIDES, *TBG, *PDLT, *TRAINING)
