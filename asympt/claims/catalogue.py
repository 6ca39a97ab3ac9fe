"""Every claim on record, by id, and those that speak about a given law.

Rule.  A claim is one table of a file in `records`, one file a source, headed by its id and its place:

    quote, summary      word for word, as one LaTeX formula; one plain sentence
    scope               of which networks it speaks (`scopes`), and the laws that it is listed with
    orbit               of an iterated map: its formulas, as a file of claims has them
    slip, false, ...    the severity of a refuted claim (`note.SEVERITIES`), and the reason; the rest of its `note`

What decides it stands beside it by its id.  `FORMULAS`: what is printed as objects, of which what is shown beside the
quote and what is checked are made, called when needed, as some need a law or a point of the Edge of Chaos.
`DECISIONS`: what code of its own decides, such as networks of finite width, figures and tables of experiments.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.resources import files

from asympt.architectures.registry import network_of
from asympt.claims import scopes
from asympt.claims.claim import Claim
from asympt.claims.deciders import figures
from asympt.claims.deciders import networks as wide_networks
from asympt.claims.deciders import tbg as trained_networks
from asympt.claims.note import note_from
from asympt.claims.paper import orbits_in
from asympt.claims.stated import algebra, compositions, kernels, tbg, xps
from asympt.claims.stated.hdr import laws, maps, networks, training
from asympt.claims.stated.pdlt import depth
from asympt.claims.stated.pdlt import networks as one_layer
from asympt.claims.stated.pdlt import training as trained
from asympt.claims.stated.statement import Ledger
from asympt.errors import InputError
from asympt.recursions import Law
from asympt.spelling import meant, near

FORMULAS: Ledger = {
    **maps.MAPS, **laws.LAWS, **networks.NETWORKS, **training.TRAINING, **laws.STEPS, **algebra.ALGEBRA,
    **depth.STATED, **trained.NEARBY, **one_layer.STATED, **trained.STATED, **kernels.RECURSIONS, **tbg.TBG,
    **xps.XPS, **compositions.COMPOSITIONS,
}  # fmt: skip
DECISIONS = {
    "HDR.T1.sup": figures.uniform,
    "HDR.F1a": figures.figure_edge,
    "HDR.F1b": figures.figure_ordered,
    "HDR.F1c": figures.figure_residual,
    "PDLT.10.11": wide_networks.mean_update,
    "PDLT.10.12": wide_networks.variance_of_updates,
    "PDLT.10.13": wide_networks.covariance_of_updates,
    "JGH.T4": wide_networks.kernel_stays,
    "JGH.T4.rate": wide_networks.kernel_stays,
    "TBG.fig1": trained_networks.finite_against_infinite,
    "TBG.fig2": trained_networks.fits,
    "TBG.fig3": figures.outside_the_kernel_regime,
    **{name: partial(figures.beside_print, name) for name in figures.PRINTED},
    "SUN.variance": compositions.trained_variance,
}
SOURCES = ("hdr", "pdlt", "xps", "jgh", "tbg", "compositions", "widths", "iterated")


def _recorded() -> Iterator[Claim]:
    """The claims in the files, in their order."""
    for source in SOURCES:
        page = files("asympt.claims").joinpath("records", f"{source}.toml")
        for name, headed in tomllib.loads(page.read_text("utf-8")).items():
            ((place, table),) = headed.items()
            scope, *laws = table.get("scope", ["RECURSIONS"])
            about = replace(getattr(scopes, scope), laws=tuple(laws))
            if "orbit" in table:
                FORMULAS[name] = partial(orbits_in, table["orbit"])
            made = (DECISIONS.get(name), about, None, note_from(table), FORMULAS.get(name))
            maps = ", ".join(dict.fromkeys(one["map"] for one in table.get("orbit", ())))
            yield Claim(name, place, table["quote"], table.get("summary") or f"orbits of {maps}", *made)


CLAIMS = tuple(_recorded())


def all_claims() -> tuple[Claim, ...]:
    """Every claim on record, in the order of its source."""
    return CLAIMS


def find(identifier: str) -> Claim:
    """The claim with this id; `InputError` when there is none."""
    known = {claim.id: claim for claim in CLAIMS}
    name = meant(identifier, known)
    if name is None:
        said = f"no claim has the id {identifier!r}{near(identifier, known)}"
        raise InputError(f"{said}; asympt.claims.all_claims() lists them, as does the command")
    return known[name]


def for_law(law) -> tuple[Claim, ...]:
    """The claims that a law decides, bound to its network: each only where its scope holds."""
    if not isinstance(law, Law):
        raise InputError(f"law = {law!r} is not a law; give one such as net.ntk_law()")
    if law.layer is None:
        return ()
    listed = [claim for claim in CLAIMS if law.name in claim.scope.laws]
    net = network_of(law.layer) if listed else None
    return tuple(claim.bind(net) for claim in listed if net is not None and claim.scope.holds(net))
