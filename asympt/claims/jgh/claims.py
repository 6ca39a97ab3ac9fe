r"""Claims of the slides on Jacot, Gabriel and Hongler about training under a frozen neural tangent kernel."""

from asympt.claims.claim import Claim
from asympt.claims.jgh import training

CLAIMS = (
    Claim(
        "JGH.flow", "JGH slides, Function Space Dynamics (I), (II)",
        r"\partial_tf_\theta(x)=-\Theta_t^{(L)}(x,X)^T\frac{\partial L(f_\theta(X),y)}{\partial f_\theta(X)},\quad "
        r"\Theta_t^{(L)}(x,x')=\sum_{p=1}^P\partial_{\theta_p}f_\theta(x)\partial_{\theta_p}f_\theta(x')",
        "gradient flow in function space, for any model and loss", training.function_space,
    ),
    Claim(
        "JGH.P", "JGH slides, Notation",
        r"\text{Number of parameters }P=\sum_{l=1}^Ld_{l-1}d_l,\quad \text{from a function }\theta:\mathbb R_+\to"
        r"\mathbb R^{d_0}",
        "the number of parameters",
    ),
    Claim(
        "JGH.ode-sol", "JGH slides, Closed Form Solution (II)",
        r"\dot x(t)=A(x(t)-x^*)\implies x(t)=x^*+e^{At}(x(0)-x^*)",
        "the solution of a linear system", training.linear_system,
    ),
    Claim(
        "JGH.train", "JGH slides, Closed Form Solution (II)",
        r"f_t^\infty(X)=y+e^{-t\Theta_\infty^{(L)}(X,X)}(f_0^\infty(X)-y)",
        "the outputs on the training set", training.training_points,
    ),
    Claim(
        "JGH.test", "JGH slides, Closed Form Solution (I)",
        r"f_t^\infty(x)=\bigl(\Theta_\infty^{(L)}(x,X)\bigr)^T\bigl(\Theta_\infty^{(L)}(X,X)^{-1}(e^{-\Theta_\infty^{"
        r"(L)}(X,X)t}-1)\bigr)(f_0^\infty(X)-y)+f_0^\infty(x)",
        "the output at a test point", training.at_test_point,
    ),
    Claim(
        "JGH.test-III", "JGH slides, Closed Form Solution (III)",
        r"f_t^\infty(x)=\int-\bigl(\Theta_\infty^{(L)}(x,X)\bigr)^T(f_t^\infty(X)-y)\ dt=\int-\bigl(\Theta_\infty^{(L"
        r")}(x,X)\bigr)^Te^{-\Theta_\infty^{(L)}(x,X)t}(f_0^\infty(X)-y)\ dt",
        "the exponent on the way to the output at a test point",
    ),
    Claim(
        "JGH.final", "JGH slides, Training an Infinitely-Wide Network Infinitely Long",
        r"f_\infty^\infty(x)=\bigl(\Theta_\infty^{(L)}(x,X)\bigr)^T\bigl(\Theta_\infty^{(L)}(X,X)\bigr)^{-1}(y-f_0^"
        r"\infty(X))+f_0^\infty(x),\quad f_\infty^\infty(X)=y",
        "the end of training, and kernel regression", training.final_state,
    ),
)
