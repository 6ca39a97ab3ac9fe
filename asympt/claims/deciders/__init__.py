"""Decisions by code of their own: fits and networks of finite width, figures, tables of experiments."""
