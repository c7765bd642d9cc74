"""What must be measured in a process of its own."""
