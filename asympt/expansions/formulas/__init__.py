"""From a formula to its Puiseux series at a point."""
