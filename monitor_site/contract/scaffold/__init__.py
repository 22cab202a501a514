"""A working plugin to start from, and making one's own out of it.

``sample_market`` is that plugin: checked like everything else here, so what is made of it is right at once.
"""

from .make import BadName, make_plugin

__all__ = ["BadName", "make_plugin"]
