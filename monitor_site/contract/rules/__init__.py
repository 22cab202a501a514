"""What the core demands of a plugin and of every value it gives: said once, for the core and for the conformance kit.

Nothing here runs a plugin's questions, and nothing here knows Django or a network.
"""

from .folders import PACKAGE, import_folder
from .hosts import host_matches
from .promise import Promise
from .whole import LONGEST_WORDS, METHODS, NAME, NotWhole, examine, in_words, offered

__all__ = [
    "LONGEST_WORDS",
    "METHODS",
    "NAME",
    "PACKAGE",
    "NotWhole",
    "Promise",
    "examine",
    "host_matches",
    "import_folder",
    "in_words",
    "offered",
]
