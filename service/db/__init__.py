"""Postgres: the tables, the connections, the migrations and the embedded server."""
