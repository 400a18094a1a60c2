"""The differential compiler: query and schema to a maintenance plan, plan to SQL. Pure."""
