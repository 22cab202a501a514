"""The ways on which a message leaves: which kinds of channel there are, and how one message goes out on one of them.

No models and no queue: whoever calls knows what to say to whom and what to do with the answer. Two processes work here,
the caller's loop and, for what Apprise delivers, one that knows neither Django nor the database.
"""
