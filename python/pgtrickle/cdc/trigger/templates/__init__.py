"""The PL/pgSQL of capture triggers and the SQL that installs them; only names and parameters are filled in."""
