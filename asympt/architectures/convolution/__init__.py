"""What convolutional networks add: averaging over a filter, its spectrum, its transients."""
