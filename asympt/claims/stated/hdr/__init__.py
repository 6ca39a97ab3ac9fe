"""Printed formulas of Hayou, Doucet and Rousseau (2020) as objects, by subject."""

from collections.abc import Callable

from asympt.claims.stated.hdr.laws import LAWS
from asympt.claims.stated.hdr.maps import MAPS, Stated
from asympt.claims.stated.hdr.networks import NETWORKS
from asympt.claims.stated.hdr.steps import STEPS
from asympt.claims.stated.hdr.training import TRAINING

HDR: dict[str, Callable[[], Stated]] = {**MAPS, **LAWS, **NETWORKS, **TRAINING, **STEPS}
