"""Measurements that need a process of their own."""
