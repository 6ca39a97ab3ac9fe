"""Laws and layers that tests share, each made when it is first needed: collecting the tests derives nothing."""

from collections.abc import Callable, Iterator, Mapping


class OnDemand(Mapping):
    """Values by name, from what makes each.

    >>> squares = OnDemand({"one": lambda: 1, "two": lambda: 4})
    >>> list(squares), squares["two"]
    (['one', 'two'], 4)
    """

    def __init__(self, makers: Mapping[str, Callable]):
        self._makers, self._made = makers, {}

    def __getitem__(self, name: str):
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
