/** Filters `pg_locks`: the tests share one PostgreSQL, and others wait there for other locks. */
export const inThisDatabase = 'database = (select oid from pg_database where datname = current_database())'
