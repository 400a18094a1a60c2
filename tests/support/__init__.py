"""What several tests share: servers, databases, roles."""
