r"""Claims of the slides about Tirer, Bruna and Giryes that random networks of finite width decide."""

from asympt.claims.claim import Claim
from asympt.claims.finite_width import tbg, tbg_tangent

CLAIMS = (
    Claim(
        "TBG.nngp.mlp",
        "TBG slides, Recall the NNGP",
        r"\Sigma^{(1)}=\frac{\sigma_w^2}dx^T\tilde x,\ \Sigma^{(l+1)}=\sigma_w^2\mathcal T(\Sigma^{(l)})",
        "the covariance of a plain network without bias",
        tbg.plain_covariance,
    ),
    Claim(
        "TBG.nngp.lastlayer",
        "TBG slides, Recall the NNGP",
        r"\Sigma^{(L+1)}=\text{NTK when only the top layer is trained}",
        "training the top layer alone",
        tbg.last_layer,
    ),
    Claim(
        "TBG.nngp.res",
        "TBG slides, NNGP for ResNet",
        r"\Sigma^{(l+1)}_{res}=\Sigma^{(l)}_{res}+\alpha^2\sigma_v^2\sigma_w^2\mathcal T(\Sigma^{(l)}_{res})",
        "the covariance of a residual network with two matrices a block",
        tbg.block_covariance,
    ),
    Claim(
        "TBG.nngp.base",
        "TBG slides, proof of the NNGP, L = 1",
        r"\frac{\sigma_w}{\sqrt d}(Ux)_i\sim N(0,\sigma_w\|x\|_2^2),\ \text{covariance}\ \frac{\sigma_w^2}dx^T\tilde x",
        "the first layer",
        tbg.base_case,
    ),
    Claim(
        "TBG.nngp.step",
        "TBG slides, proof of the NNGP, induction step",
        r"E[\phi^2(g)]=\sigma_w^2E[\phi^2(\sigma_w^{-1}g)]",
        "a scale pulled out of every activation",
        tbg.induction_step,
    ),
    Claim(
        "TBG.ntk.mlp",
        "TBG slides, Recall: For f an MLP",
        r"\Theta^{(l+1)}=\Theta^{(l)}\dot{\mathcal T}(\Sigma^{(l+1)})+\mathcal T(\Sigma^{(l+1)})",
        "the NTK of a plain network without bias",
        tbg.plain_tangent,
    ),
    Claim(
        "TBG.ntk.res",
        "TBG slides, NTK for ResNet",
        r"\Theta_{res}=\Sigma^{(l)}+\Pi^{(0)}\Sigma^{(1)}+\alpha^2\sum_m\Pi^{(m)}\sigma_v^2\sigma_w^2"
        r"\mathcal T(\Sigma^{(m)})+\alpha^2\sum_m\Pi^{(m)}\Sigma^{(m)}\dot{\mathcal T}(\Sigma^{(m)})",
        "the NTK of a residual network with two matrices a block",
        tbg_tangent.block_tangent,
    ),
    Claim(
        "TBG.ntk.U",
        "TBG slides, NTK for ResNet, proof sketch (2)",
        r"\langle\partial_Uf,\partial_U\tilde f\rangle\to\frac{\Sigma^{(1)}}{\sigma_w^2}"
        r"E[\delta^{(0)T}\tilde\delta^{(0)}]",
        "what the first weights contribute to the NTK",
        tbg_tangent.input_part,
    ),
    Claim(
        "TBG.ntk.V",
        "TBG slides, NTK for ResNet, proof sketch",
        r"\langle\partial_{V^{(l)}}f,\partial_{V^{(l)}}\tilde f\rangle=\frac{\alpha^2\sigma_v^2}n"
        r"\mathcal T(\Sigma^{(l)})E[\delta^{(l)T}\tilde\delta^{(l)}]",
        "what the outer weights of a block contribute to the NTK, with a factor 1/n",
        tbg_tangent.outer_part,
    ),
    Claim(
        "TBG.ntk.W",
        "TBG slides, NTK for ResNet, proof sketch",
        r"E\langle\partial_{W^{(l)}}f,\partial_{W^{(l)}}\tilde f\rangle=\alpha^2\sigma_v^2\Sigma^{(l)}"
        r"\dot{\mathcal T}(\Sigma^{(l)})E[\delta^{(l)T}\tilde\delta^{(l)}]",
        "what the inner weights of a block contribute to the NTK",
        tbg_tangent.inner_part,
    ),
    Claim(
        "TBG.ntk.Pi",
        "TBG slides, NTK for ResNet, proof sketch",
        r"E[\delta^{(l)T}\tilde\delta^{(l)}]=\Pi^{(l)},\ \delta^{(L)}=\frac{\sigma_w}{\sqrt n}w^{(L+1)}",
        "the size of the gradient with respect to the stream",
        tbg_tangent.gradients,
    ),
)
