"""The original recursion in mpmath: equations of the coordinate in one layer, constants along many, the printed law."""
