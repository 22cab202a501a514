"""The networks as this installation is set up, and what may be wrong with how it is."""

import psutil
from django.conf import settings

from monitor_site.networks import BadNetworks, Networks

from .mail_server import BadMailServer, read_mail_server


def networks_now() -> Networks:
    """Where messages may go now; a setting that cannot be read allows nothing beyond the public internet."""
    try:
        return Networks.read(settings.ALERT_NETWORKS, own=_own_addresses())
    except BadNetworks:
        return Networks(own=_own_addresses())


def site_names() -> frozenset[str]:
    """The names under which this site itself is reached."""
    return frozenset(name.lower() for name in settings.ALLOWED_HOSTS if not name.startswith(("*", ".")))


def complaints() -> list[str]:
    """A sentence for the operator for each setting of this package that cannot be read."""
    found = []
    try:
        Networks.read(settings.ALERT_NETWORKS)
    except BadNetworks as error:
        found.append(str(error))
    try:
        read_mail_server(settings.EMAIL_URL)
    except BadMailServer as error:
        found.append(str(error))
    return found


def _own_addresses() -> frozenset[str]:
    known = (address.address for addresses in psutil.net_if_addrs().values() for address in addresses)
    # MAC addresses stand among them; no address that is judged ever looks like one.
    return frozenset(address.partition("%")[0] for address in known)
