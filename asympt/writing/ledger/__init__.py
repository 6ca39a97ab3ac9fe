"""The report of checked claims: what it says in words, the order of the sources, and its pages in HTML and LaTeX."""
