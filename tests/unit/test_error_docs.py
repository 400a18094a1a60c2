from __future__ import annotations

import re
from collections import Counter

from ci import error_docs


def test_the_document_says_what_the_classes_say() -> None:
    stale = "run: python ci/error_docs.py"
    assert error_docs.FILE.read_text(encoding="utf-8") == error_docs.document(), stale


def test_every_class_has_a_code_of_its_own_and_says_what_happened() -> None:
    classes = error_docs.error_classes()
    counted = Counter(each.code for each in classes)
    assert [code for code, count in counted.items() if count > 1] == []
    for each in classes:
        assert re.fullmatch(r"PGT\d{3}", each.code), each
        assert each.__doc__, each
