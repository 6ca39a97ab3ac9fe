"""The laws of networks with learning rates of their own (PDLT)."""
