"""The dashboard: pages for people, in front of the studies of one database."""
