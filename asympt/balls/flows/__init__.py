"""Steps that fall with the layer: the flow time with a bound, and from there to the bound of a law."""
