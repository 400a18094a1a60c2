-- What the changes choose by. `tpch.seed` is another one in each round, `tpch.share` the part of orders and lineitem to change.
CREATE FUNCTION dice(key bigint, salt integer) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT (hashint8extended(key, current_setting('tpch.seed')::bigint * 1000 + salt) & 1048575) / 1048576::double precision
$$;
-- A number from `low` to `high`.
CREATE FUNCTION throw(key bigint, salt integer, low integer, high integer) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT low + floor(dice(key, salt) * (high - low + 1))::integer
$$;
CREATE FUNCTION pick(key bigint, salt integer, choices text[]) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT choices[throw(key, salt, 1, cardinality(choices))]
$$;
CREATE FUNCTION share() RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT current_setting('tpch.share')::double precision
$$;
