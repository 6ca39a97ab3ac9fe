"""What a kernel says about training: gradient flow, prediction, spectra, smoothness."""
