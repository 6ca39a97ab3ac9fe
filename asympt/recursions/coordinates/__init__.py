"""The coordinates in which one layer is a step of known length: Abel, Koenigs, flow time."""
