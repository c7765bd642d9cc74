"""What is measured, a file each."""
