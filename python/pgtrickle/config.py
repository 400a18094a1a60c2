"""Settings of a client: one frozen value, checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass

from pgtrickle.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a user may tune. Times are in milliseconds."""

    lock_timeout_ms: int = 1_000
    ddl_lock_timeout_ms: int = 500
    ddl_lock_attempts: int = 10
    view_lock_timeout_ms: int = 100
    view_lock_attempts: int = 60
    conflict_attempts: int = 3
    plan_cache_capacity: int = 512
    stored_plans_per_table: int = 100
    cleanup_min_bytes: int = 1 << 20
    cleanup_at_bytes: int = 1 << 23

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 1:
                raise ConfigurationError(
                    f'setting "{name}" must be at least 1',
                    detail=f"It is {getattr(self, name)}.",
                )
