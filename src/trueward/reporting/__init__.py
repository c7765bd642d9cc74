"""Shared charts, tables and page templates."""
