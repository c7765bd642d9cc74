"""Charts, tables and page templates, for every part that shows something."""
