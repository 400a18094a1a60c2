"""Queries composed of every operator, to a depth: each operator is one small block that asks the composer for its inputs."""
