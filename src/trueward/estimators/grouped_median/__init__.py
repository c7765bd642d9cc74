"""The grouped median: a median that can tell ratings apart below one point of the scale."""
