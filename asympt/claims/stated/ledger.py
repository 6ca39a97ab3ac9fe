"""Printed formulas of the ledger as objects: what is shown beside the quote and what is checked are made of them.

A function for each claim, called when it is asked for, as some need a law or a point of the Edge of Chaos.
"""

from asympt.claims.stated import algebra, compositions, kernels, slips
from asympt.claims.stated.hdr import laws, maps, networks, steps, training
from asympt.claims.stated.pdlt import depth, nearby
from asympt.claims.stated.pdlt import networks as one_layer
from asympt.claims.stated.pdlt import steps as first_steps
from asympt.claims.stated.pdlt import training as trained
from asympt.claims.stated.slides import steps as between
from asympt.claims.stated.slides import tbg, xps
from asympt.claims.stated.statement import Ledger

FORMULAS: Ledger = {
    **maps.MAPS, **laws.LAWS, **networks.NETWORKS, **training.TRAINING, **steps.STEPS, **algebra.ALGEBRA,
    **depth.STATED, **nearby.STATED, **one_layer.STATED, **trained.STATED, **first_steps.STEPS,
    **kernels.RECURSIONS, **tbg.TBG, **xps.XPS, **between.STEPS, **slips.SLIPS, **compositions.COMPOSITIONS,
}  # fmt: skip
