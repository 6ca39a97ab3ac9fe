"""Where a result is to be written: looked at before the work, not after it.

Rule.  The ending is known, the folder exists, and a file of this name could be written: it is writable if it exists,
and its folder is otherwise.  Nothing is created or changed by looking.

Tiny case.  "law.docx" and "/no/such/folder/law.tex" are refused before a law is derived.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from asympt.errors import InputError


def check_path(path, endings: Sequence[str]) -> Path:
    """The path, if a file of this name can be written; `InputError` with the remedy otherwise.

    >>> check_path("law.docx", (".tex", ".pdf"))
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: 'law.docx' has an unknown ending; it must end in .tex or .pdf
    """
    try:
        path = Path(path)
    except TypeError:
        raise InputError(f"path = {path!r} is not the name of a file; give one such as 'name{endings[0]}'") from None
    if path.suffix.lower() not in endings:
        *first, last = endings
        raise InputError(f"{str(path)!r} has an unknown ending; it must end in {', '.join(first)} or {last}")
    if not path.parent.is_dir():
        raise InputError(f"the folder of {str(path)!r} does not exist; create it or choose another path")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{str(path)!r} cannot be written; change its permissions or choose another path")
    return path
