"""The product's settings, with the catalogue of a language nobody speaks in place of English."""

import os

from monitor_site.settings import *  # noqa: F403

LOCALE_PATHS = [os.environ["PSEUDO_LOCALE"]]
