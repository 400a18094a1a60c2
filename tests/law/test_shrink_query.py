"""Shorter queries: each part can go, and what remains is spelled as it was."""

from __future__ import annotations

from tests.law.shrink_query import shorter
from tests.law.shrink_text import cuts


def _texts(sql: str) -> set[str]:
    return {cut.text for cut in cuts(sql)}


def test_clauses_joins_items_and_operands_go() -> None:
    found = _texts("SELECT a.x, b.y FROM a JOIN b ON a.i = b.i WHERE a.x = 1 AND b.y > 2")
    assert "SELECT a.x , b.y FROM a JOIN b ON a.i = b.i" in found
    assert "SELECT a.x , b.y FROM a WHERE a.x = 1 AND b.y > 2" in found
    assert "SELECT b.y FROM a JOIN b ON a.i = b.i WHERE a.x = 1 AND b.y > 2" in found
    assert "SELECT a.x , b.y FROM a JOIN b ON a.i = b.i WHERE b.y > 2" in found


def test_a_level_and_a_branch_go() -> None:
    found = _texts("SELECT q.x FROM (SELECT x FROM a UNION ALL SELECT x FROM b) AS q")
    assert "SELECT x FROM a UNION ALL SELECT x FROM b" in found
    assert "SELECT q.x FROM ( SELECT x FROM b ) AS q" in found
    assert "SELECT q.x FROM ( SELECT x FROM a ) AS q" in found


def test_a_lost_column_is_told() -> None:
    lost = {cut.text: cut.lost for cut in cuts("SELECT x, y, z FROM a")}
    assert lost["SELECT x , z FROM a"] == 1
    assert lost["SELECT y , z FROM a"] == 0


def test_an_order_that_goes_is_told() -> None:
    loosens = {cut.text: cut.loosens for cut in cuts("SELECT x FROM a ORDER BY y, z LIMIT 1")}
    assert loosens["SELECT x FROM a LIMIT 1"]
    assert loosens["SELECT x FROM a ORDER BY y LIMIT 1"]
    assert not loosens["SELECT x FROM a ORDER BY y , z"]


def test_a_part_of_an_expression_stands_for_the_whole() -> None:
    found = {each.sql for each in shorter("SELECT CASE WHEN a > 1 THEN b ELSE c END AS x FROM t")}
    assert "SELECT b AS x FROM t" in found


def test_text_that_cannot_be_read_still_gets_shorter() -> None:
    assert any(each.sql == "SELECT x FROM t" for each in shorter("SELECT x, @#! y FROM t"))
