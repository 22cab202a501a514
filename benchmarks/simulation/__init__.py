"""Stories of orders, told by chance: senders that crash, answers that get lost, clocks that jump, a kill switch."""
