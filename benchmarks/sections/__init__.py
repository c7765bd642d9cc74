"""The sections of the benchmarks, one file each."""
