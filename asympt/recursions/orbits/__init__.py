"""The original orbit in numbers, and where it crosses from the map into a coordinate."""
