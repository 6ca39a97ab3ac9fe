"""Networks in float64: pairs of real images at depth, and random networks of finite width."""
