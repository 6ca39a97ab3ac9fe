"""A formula as instructions, and what they are run on: `balls.expression` has both."""
