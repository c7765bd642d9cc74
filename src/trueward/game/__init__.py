"""Where the stages meet: matches, blocks of trials, play; and every object by its name."""
