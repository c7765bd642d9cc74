"""What pages show, as plain data computed from a look at a study; a template shows, it does not compute."""
