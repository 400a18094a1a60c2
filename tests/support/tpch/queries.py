"""The 22 queries with the validation parameters of the specification, and with wider ones for little data."""

from __future__ import annotations

from pathlib import Path

NAMES = tuple(f"q{number:02}" for number in range(1, 23))
VALIDATED_FROM = 0.1

_FILES = Path(__file__).parent / "sql" / "queries"

# At scale 0.01 these select so few rows that their results would be empty, or the same after most rounds: q17 finds no line at
# all, q08 no sale by BRAZIL, q02, q18, q19 and q20 one to four rows. The shape of the query stays.
_WIDER: dict[str, tuple[tuple[str, str], ...]] = {
    "q02": (("p_size = 15", "p_size BETWEEN 10 AND 19"),),
    "q08": (("p_type = 'ECONOMY ANODIZED STEEL'", "p_type LIKE 'ECONOMY%'"),),
    "q17": (
        ("p_brand = 'Brand#23'", "p_brand LIKE 'Brand#2%'"),
        ("p_container = 'MED BOX'", "p_container LIKE 'MED%'"),
    ),
    "q18": (("> 300", "> 250"),),
    "q19": tuple(
        (f"p_brand = 'Brand#{brand}{brand + 1}'", f"p_brand LIKE 'Brand#{brand}%'")
        for brand in (1, 2, 3)
    ),
    "q20": (("'forest%'", "'f%'"),),
}


def queries(scale: float) -> dict[str, str]:
    """Return the text of each query for data of this scale, by name."""
    texts = {name: (_FILES / f"{name}.sql").read_text(encoding="utf-8") for name in NAMES}
    texts["q11"] = texts["q11"].format(fraction=f"{0.0001 / scale:.10f}")
    return texts if scale >= VALIDATED_FROM else {n: _widened(n, t) for n, t in texts.items()}


def _widened(name: str, text: str) -> str:
    for narrow, wide in _WIDER.get(name, ()):
        if narrow not in text:
            raise ValueError(f"{name} does not contain {narrow}")
        text = text.replace(narrow, wide)
    return text
