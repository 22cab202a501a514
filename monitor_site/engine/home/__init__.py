"""What ``make run`` runs: every process of an installation on one machine, under one supervisor."""


class Trouble(Exception):
    """The start cannot go on; the text is the sentence for the person, the last log lines included."""
