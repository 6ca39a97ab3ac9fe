"""The multilayer perceptron of PDLT: angles, components, learning rates of its own."""
