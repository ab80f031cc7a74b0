"""The letters under which pages show the responses to a HIT."""


def letter_of(number: int) -> str:
    """The letter of a response by its place, from 0: A to Z, then A1 to Z1, and so on."""
    return chr(65 + number % 26) + (str(number // 26) if number >= 26 else "")
