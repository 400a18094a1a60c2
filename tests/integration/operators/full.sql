-- PGT256
select a.id, l.u from a, lateral (select unnest(a.arr) u from b where b.id = a.k) l;
-- PGT260
select g, max(k) m from a group by g having exists (select from b where b.v = max(a.k));
-- PGT253
select id from a where exists (select 1 from b where b.k = a.k limit 1 offset 1);
-- PGT259
select array(select v from b where b.k = a.k order by v, id) x, id from a;
-- PGT256
select id from a where row(k, id) > any (select x, y from c);
-- PGT260
select id from a where not exists (select from b where b.k = a.k and not exists (select from c where c.x = b.v and c.y = a.k));
-- PGT230
select a.id, x.v from a cross join lateral (select b.v from b where b.k = a.k union select c.x from c where c.y = a.k) x;
-- PGT256
select a.id, (select count(*) from b where b.k < a.k) n from a;
-- PGT256
select g, count(*) from a group by rollup (g, (select max(v) from b));
-- PGT231
select a.id, x.o1 from a left join lateral (select coalesce(b.v, 7) o1, b.v + a.k o2 from b where b.k = a.k) x on true;
-- PGT259
select a.id, (select a.k + coalesce(b.v, 7) from b where b.id = a.k) s from a;
-- PGT256
select id, (select sum(count(*)) over () from b where b.k = a.k) s from a;
