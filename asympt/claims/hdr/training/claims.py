r"""Claims of Hayou, Doucet and Rousseau (2020) about training: Section 3, Appendix A (Lemma 1, Appendix Lemma 1), C."""

from asympt.claims.claim import Claim
from asympt.claims.hdr.training import descent, flow, sgd, sgd_points

CLAIMS = (
    Claim(
        "HDR.eq3", "HDR Sec. 3.1, eq. (3)",
        r"df_t(x)=-\frac1N\nabla_\theta f(x,\theta_t)\nabla_\theta f(\mathcal X,\theta_t)^T"
        r"\nabla_z\ell(f_t(\mathcal X),\mathcal Y)\,dt",
        "gradient flow of the parameters as a flow of the outputs", flow.chain_rule,
    ),
    Claim(
        "HDR.eq8", "HDR Sec. 3.1, eq. (8)",
        r"f_t(\mathcal X)=e^{-\frac1N\hat Kt}f_0(\mathcal X)+(I-e^{-\frac1N\hat Kt})\mathcal Y",
        "the outputs on the training set under a constant kernel", flow.training_flow,
    ),
    Claim(
        "HDR.eq9", "HDR Sec. 3.1, eq. (9)",
        r"f_t(x)=f_0(x)+K(x,\mathcal X)\hat K^{-1}(I-e^{-\frac1N\hat Kt})(\mathcal Y-f_0(\mathcal X))",
        "the output at a test point under a constant kernel", flow.flow_at_test_point,
    ),
    Claim(
        "HDR.L1.iff", "HDR Lemma 1",
        r"f_0(\mathcal X)\ne\mathcal Y:\ \|f_t(\mathcal X)-\mathcal Y\|\to0\iff\hat K\text{ non-singular}",
        "a network can be trained exactly when its kernel is invertible", flow.trainable_iff,
    ),
    Claim(
        "HDR.L1.lower", "HDR Lemma 1, second part",
        r"\hat K\text{ singular}\Rightarrow\exists C>0\ \forall t>0:\ \|f_t(\mathcal X)-\mathcal Y\|\ge C",
        "a singular kernel leaves an error for every start", flow.lower_bound,
    ),
    Claim(
        "HDR.AL1", "HDR Appendix Lemma 1",
        r"\nabla\mathcal L\ C\text{-Lipschitz}\Rightarrow\sup_{k\le T/\eta}\|\theta_{k\eta}-\hat\theta_k\|\le\eta C',"
        r"\ C'=C'(C,T)",
        "the distance of gradient descent from gradient flow", descent.discretisation,
    ),
    Claim(
        "HDR.AL1.step", "HDR Appendix Lemma 1, proof",
        r"\|\hat\theta_k-\theta_0\|\le(1+\eta C)\|\hat\theta_{k-1}-\theta_0\|\le e^{CT}\|\hat\theta_1-\theta_0\|",
        "how far gradient descent moves in k steps", descent.proof_step,
    ),
    Claim(
        "HDR.S3.const", "HDR Sec. 3.1, after Lemma 1",
        r"K(x,x_i)=\delta\ (x\ne x_i)\Rightarrow K(x,\mathcal X)\hat K^{-1}(I-e^{-\frac1N\hat Kt})(\mathcal Y-f_0)"
        r"\text{ does not depend on }x",
        "a constant kernel learns the same at every test point", flow.constant_kernel,
    ),
    Claim(
        "HDR.S5.sde", "HDR App. C, eqs. (30)-(31)",
        r"d\theta=-\nabla\mathcal L\,dt+\sqrt{\eta/S}\,\Sigma^{1/2}dW:\ \theta-\eta\nabla\mathcal L"
        r"+\tfrac{\eta}{\sqrt S}Z\text{ is its Euler step of length }\eta",
        "SGD as the discretisation of a diffusion", sgd.euler_step,
    ),
    Claim(
        "HDR.S5.ito", "HDR Proposition 4, eq. (32)",
        r"df_t(x)=\Bigl[-\tfrac1N\nabla f(x)\nabla f(\mathcal X)^T\nabla_z\ell+\tfrac12\tfrac\eta S"
        r"\mathrm{Tr}(\Sigma^{1/2}\nabla_2f(x)\Sigma^{1/2})\Bigr]dt+\sqrt{\tfrac\eta S}\nabla f(x)\Sigma^{1/2}dW_t",
        "the diffusion of the outputs by Ito's formula", sgd.ito,
    ),
    Claim(
        "HDR.S5.M", "HDR App. C, dynamics for wide networks",
        r"-\tfrac1N\hat K(f-\mathcal Y)+\tfrac12\tfrac\eta S\Gamma=-\tfrac1N\hat K(f-M_t),\ "
        r"M_t=\mathcal Y-\tfrac{\eta N}{2S}\hat K^{-1}\Gamma_t",
        "the level to which the Ornstein-Uhlenbeck process reverts", sgd.centre,
    ),
    Claim(
        "HDR.S5.34", "HDR App. C, eq. (34)",
        r"f_t=e^{-\frac tN\hat K}f_0+(I-e^{-\frac tN\hat K})\mathcal Y+A_t,\ A_t=-\tfrac\eta{2S}\int_0^t"
        r"e^{-\frac{t-s}N\hat K}\Gamma_sds+\sqrt{\tfrac\eta S}\int_0^te^{-\frac{t-s}N\hat K}\nabla f\Sigma^{1/2}dW_s",
        "the outputs on the training set under SGD", sgd.solution,
    ),
    Claim(
        "HDR.S5.35", "HDR App. C, eq. (35)",
        r"f_t(x)=f_0(x)+K(x,\mathcal X)\hat K^{-1}(I-e^{-\frac{t-s}N\hat K})(\mathcal Y-f_0)+Z_t(x)+R_t(x)",
        "the output at a test point under SGD", sgd_points.solution_at_test_point,
    ),
)
