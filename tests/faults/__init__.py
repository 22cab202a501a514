"""Stories in which processes die, hang, or lose what they remember, while work goes on."""
