from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgtrickle._core import net

changes = st.lists(
    st.tuples(st.sampled_from("ID"), st.sampled_from([b"a", b"b", b""]), st.integers(0, 1)),
    max_size=30,
)


def weights(rows: list[tuple[str, bytes, int]]) -> dict[tuple[bytes, int], int]:
    sums: Counter[tuple[bytes, int]] = Counter()
    for action, image, group in rows:
        sums[image, group] += 1 if action == "I" else -1
    return {key: weight for key, weight in sums.items() if weight}


@given(rows=changes)
def test_what_remains_has_the_weights_and_nothing_that_cancels(
    rows: list[tuple[str, bytes, int]],
) -> None:
    actions = "".join(action for action, _, _ in rows).encode()
    kept = net(actions, [image for _, image, _ in rows], [group for _, _, group in rows])
    assert weights([rows[row] for row in kept]) == weights(rows)
    assert len(kept) == sum(map(abs, weights(rows).values()))


def test_an_update_told_backwards_still_cancels() -> None:
    assert net(b"IDID", [b"2", b"1", b"1", b"0"]) == [0, 3]


@pytest.mark.parametrize(
    ("actions", "images", "groups"), [(b"I", [], None), (b"I", [b""], []), (b"U", [b""], None)]
)
def test_what_does_not_fit_together_is_refused(
    actions: bytes, images: list[bytes], groups: list[int] | None
) -> None:
    with pytest.raises(ValueError, match=r"must be|is I or D"):
        net(actions, images, groups)
