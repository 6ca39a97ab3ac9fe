"""The flow time of recursions whose step sizes depend on the layer, and all that is needed to follow their orbits."""
