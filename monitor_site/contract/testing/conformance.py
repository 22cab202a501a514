"""All rules in one class."""

from .about_addresses import AboutAddresses
from .about_answers import AboutAnswers
from .about_cancelling import AboutCancelling
from .about_itself import AboutItself
from .about_keeping import AboutKeeping
from .about_manners import AboutManners
from .about_refusals import AboutRefusals
from .about_samples import AboutSamples


class PluginConformance(
    AboutCancelling, AboutAddresses, AboutManners, AboutKeeping, AboutRefusals, AboutAnswers, AboutSamples, AboutItself
):
    """What any plugin must keep. Subclass it under a name that begins with ``Test`` and set ``plugin`` and ``answers``.

    A plugin whose account must be of a certain form sets ``settings``; one whose practice market takes other orders
    overrides ``offer``, ``reprice`` and ``sell``. Rules follow the declared capabilities; what does not apply is
    skipped.
    """
