"""What can follow from an error: what stands still, and who must hear of it."""

from enum import StrEnum


class Pauses(StrEnum):
    """What stands still after an error."""

    NOTHING = "nothing"
    TARGET = "target"
    ACCOUNT = "account"
    MARKETPLACE = "marketplace"


class Tells(StrEnum):
    """Who must hear of it."""

    NOBODY = "nobody"
    USER = "user"
    OPERATOR = "operator"
