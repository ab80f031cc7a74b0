"""Whole numbers as programs write them: pandas turns a column with a gap into 3.0."""


def whole_number(value: object) -> int | None:
    """An integer, or the integer that a float without a fraction is; None for anything else, true and false too."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None
