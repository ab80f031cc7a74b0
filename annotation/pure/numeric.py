"""numpy, loaded when it is first used: most processes that serve pages or run a command never need it.

For annotations: `Floats` and `Integers` are its arrays, `ArrayLike` is what it takes for one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["ArrayLike", "Floats", "Integers", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Integers = np.ndarray[Any, np.dtype[np.int64]]
else:
    ArrayLike = Floats = Integers = Any

    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module("numpy"), name)
            setattr(self, name, found)  # found without this method from now on
            return found

    np = _Numpy()
