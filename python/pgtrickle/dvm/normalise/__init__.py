"""Stage 2: bring a query into the one form that the plan builder reads."""
