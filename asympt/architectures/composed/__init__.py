"""Networks composed of primitives: compiled into one normal form, and the laws that follow from it."""
