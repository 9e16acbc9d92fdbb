"""Engines: their command lines by release, read from data."""
