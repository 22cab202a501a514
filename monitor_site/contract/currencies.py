"""How currencies divide: a ``Money`` counts what the last of these digits stands for. Pure."""

_NONE = ("JPY", "KRW", "VND", "CLP", "ISK", "PYG", "UGX", "XAF", "XOF", "XPF")
_THREE = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")
_DIGITS = dict.fromkeys(_NONE, 0) | dict.fromkeys(_THREE, 3)


def digits_of(currency: str) -> int:
    """How many digits of an amount in minor units are its fraction: 0 for yen, 2 for nearly all others.

    >>> digits_of("JPY"), digits_of("EUR"), digits_of("KWD")
    (0, 2, 3)
    """
    return _DIGITS.get(currency, 2)
