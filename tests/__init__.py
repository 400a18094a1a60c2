"""Tests of pgtrickle."""
