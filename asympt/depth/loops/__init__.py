"""Layers one after another for a block of pairs, where they differ from pair to pair or from layer to layer."""
