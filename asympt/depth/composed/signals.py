"""Pairs of inputs in one place of a network: variances, gaps, and how a layer so far has moved gap and NTK.

Beside the gap gamma a `Track` has, from where it began (gamma_0, K = k_0 q_0),

    gamma = (1 + excess - lost) gamma_0,       K/sqrt(q q') = (1 + excess - turned) k_0 + source,

sums and products of terms that are not negative.  Once something was added to the gap (`lifted`: a mask, variances that
differ) the first of these is given up and gamma stands for itself.  With A = a^2 r/R, B = b^2 r_F/R and r, r_F, R the
geometric means of the variances of x, F(x) and a x + b F(x),

    gamma' = A gamma + B gamma_F + lift,       lift R = a^2 b^2 (sqrt(q q_F') - sqrt(q' q_F))^2/(R + a^2 r + b^2 r_F).
"""

from dataclasses import dataclass, replace

import numpy as np

from asympt.depth.norms.tiles import Paired

Array = np.ndarray


@dataclass(frozen=True)
class Track:
    """Arrays of the pairs; `rest` is 2 - gap."""

    gap: Array
    rest: Array
    excess: Array | float
    lost: Array
    turned: Array
    source: Array | float
    lifted: bool = False

    @classmethod
    def begun(cls, gap: Array, rest: Array | None = None) -> "Track":
        """Where nothing has happened yet."""
        none = np.zeros_like(gap)
        return cls(gap, 2.0 - gap if rest is None else rest, 0.0, none, none, 0.0)

    def through(self, excess, drop, turn, lift=None) -> "Track":
        """gamma' = (1 + excess - drop) gamma + lift, dc'/dc = 1 + excess - turn."""
        factor, kept, so_far = 1.0 + excess - drop, 1.0 + excess - turn, 1.0 + self.excess
        gap, rest = self.gap * factor, self.rest - (excess - drop) * self.gap
        if lift is not None:
            gap, rest = gap + lift, rest - lift
        return Track(
            gap, _rest(gap, rest),
            self.excess + excess + self.excess * excess,
            self.lost * factor + so_far * drop,
            self.turned * kept + so_far * turn,
            self.source * kept,
            self.lifted or lift is not None,
        )  # fmt: skip

    def with_source(self, source) -> "Track":
        """More of the NTK."""
        return replace(self, source=self.source + source)

    @property
    def slope(self) -> Array:
        """What k_0 is multiplied by."""
        return 1.0 + self.excess - self.turned

    def kernel(self, before: Array) -> Array:
        """k."""
        return self.slope * before + self.source


def _rest(gap: Array, rest: Array) -> Array:
    """2 - gap: as `rest` knows it beyond 3/2, as the gap does elsewhere."""
    return np.where(gap > 1.5, np.maximum(rest, 0.0), 2.0 - gap)


def mixed(one: Track, two: Track, first, second, lift=None) -> Track:
    """first gamma + second gamma_F + lift, of two tracks that began in one place; first + second = 1 - lift."""
    parts = [first * a + second * b for a, b in ((one.gap, two.gap), (one.lost, two.lost), (one.turned, two.turned),
                                                 (one.source, two.source), (one.excess, two.excess),
                                                 (one.rest, two.rest))]  # fmt: skip
    gap, lost, turned, source, excess, rest = parts
    if lift is not None:
        gap, excess, rest = gap + lift, excess - lift, rest + lift
    return Track(gap, _rest(gap, rest), excess, lost, turned, source, one.lifted or two.lifted or lift is not None)


def multiplied(one: Track, two: Track) -> Track:
    """c = c_A c_B."""
    a, b = 1.0 - one.gap, 1.0 - two.gap
    gap = one.gap + two.gap * a
    return Track(
        gap, 2.0 - gap,
        1.0 + one.excess + two.excess,
        one.lost + two.lost + one.gap * (1.0 + two.excess - two.lost),
        one.turned + two.turned + one.slope * two.gap + two.slope * one.gap,
        one.source * b + two.source * a,
        one.lifted or two.lifted,
    )  # fmt: skip


@dataclass(frozen=True)
class NeuronGroup:
    """NeuronGroup of one distribution, of all inputs.

    `settled`: q comes again in every layer; `came_from`: straight from phi of that variance (phi, q); `gain`: straight
    from a norm with trained gain and bias, which add c + 1 to the NTK.
    """

    width: float
    q: Array
    track: Track
    settled: bool = False
    came_from: tuple | None = None
    gain: bool = False

    def moved(self, q: Array, track: Track, **more) -> "NeuronGroup":
        """The same neurons further on."""
        return NeuronGroup(self.width, q, track, **{"settled": self.settled, **more})

    def restarted(self) -> "NeuronGroup":
        """The same where a layer begins, K/sqrt(q q') as the source of a new track."""
        track = Track.begun(np.clip(self.track.gap, 0.0, 2.0), np.clip(self.track.rest, 0.0, 2.0))
        return NeuronGroup(self.width, self.q, replace(track, source=self.track.source), gain=self.gain)

    def times(self, factor: float, still: bool) -> "NeuronGroup":
        """The variance times a number, which is the same in all layers where it is `still`."""
        return self.moved(self.q * factor, self.track, settled=self.settled and still)

    def counted(self, pairs: Paired) -> "NeuronGroup":
        """With the NTK of gain and bias in the mean over the neurons, where they were still to come."""
        if not self.gain:
            return self
        return self.moved(self.q, self.track.with_source(1.0 / roots(self.q, pairs) + (1.0 - self.track.gap)))


def roots(q: Array, pairs: Paired) -> Array:
    """sqrt(q q') of pairs."""
    root = np.sqrt(q)
    return pairs.first(root) * pairs.second(root)


def added(one: NeuronGroup, two: NeuronGroup, a: float, b: float, pairs: Paired) -> NeuronGroup:
    """a x + b F(x) by the squares a and b."""
    q = a * one.q + b * two.q
    settled = one.settled and two.settled
    if len(q) == 1:
        share = b * two.q / q
        return NeuronGroup(one.width, q, mixed(one.track, two.track, 1.0 - share, share), settled)
    r, other, root = (roots(v, pairs) for v in (one.q, two.q, q))
    crossed = pairs.first(one.q) * pairs.second(two.q) - pairs.second(one.q) * pairs.first(two.q)
    total = np.sqrt(pairs.first(one.q) * pairs.second(two.q)) + np.sqrt(pairs.second(one.q) * pairs.first(two.q))
    apart = np.divide(crossed, total, out=np.zeros_like(total), where=total > 0) ** 2
    safe = np.where(root > 0, root, 1.0)
    lift = a * b * apart / (safe + a * r + b * other) / safe
    return NeuronGroup(one.width, q, mixed(one.track, two.track, a * r / safe, b * other / safe, lift), settled)


def whole(groups: tuple[NeuronGroup, ...], pairs: Paired) -> NeuronGroup:
    """The mean over all neurons; those of gain and bias counted."""
    found = groups[0].counted(pairs)
    for group in groups[1:]:
        width = found.width + group.width
        total = added(found, group.counted(pairs), found.width / width, group.width / width, pairs)
        found = replace(total, width=width)
    return found if len(groups) > 1 else replace(found, came_from=groups[0].came_from)
