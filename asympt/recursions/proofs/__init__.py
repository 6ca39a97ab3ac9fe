"""Laws as theorems: what `asympt.balls` is asked of a law, and what comes back.

    formal       a law, its map and its printed terms as the engine wants them; that the terms are exact
    accounts     what each kind of theorem says of itself: the steps of its proof, the entries of its record
    certificate  the theorem: statement, constant, steps, to be checked again
    enclosure    the quantity of one start at one depth between two numbers
    constants    balls for numbers that are known by an equation
"""
