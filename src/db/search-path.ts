import type { Db, Executor, Query } from './pool/open'
import { inOneTrip } from './pool/pipelining'

/**
 * An operator of one schema. Without a schema, PostgreSQL searches the whole search path for the operator that best
 * fits the types, so it could use one of any role that may create objects in a schema of the path (CVE-2018-1058).
 * Functions are written `pg_catalog.lower(…)` for the same reason.
 * @param schema quoted for SQL
 */
export const operator = (name: string, schema = 'pg_catalog'): string => `operator(${schema}.${name})`

export const equal = operator('=')
export const concat = operator('||')
/** Access to JSON by a key or an index: as JSON and as text. */
export const jsonAt = operator('->')
export const textAt = operator('->>')

/** For the rest of the transaction, names without a schema are PostgreSQL's own. */
export const catalogPath = 'set local search_path to pg_catalog, pg_temp'

/** The value of the search path with one more schema first. @param schema SQL of its identifier */
export const schemaFirst = (schema: string): string => `${schema} ${concat} ', ' ${concat} pg_catalog.current_setting('search_path')`

/** Ends the effect of `catalogPath`: the search path is the role's again. */
export const ownPath = 'set local search_path to default'

/**
 * A statement that writes to a user's table, in a transaction in which names are otherwise PostgreSQL's own: triggers
 * and checks find the objects they name.
 */
export const touchingRows = (statement: string): string[] => [ownPath, statement, catalogPath]

/**
 * A transaction in which names without a schema are PostgreSQL's own: for catalog queries and DDL. Not for writes to
 * users' tables, whose triggers and functions rely on the search path of the role (`touchingRows`).
 */
export const withCatalogPath = <Result>(
  db: Pick<Db, 'transaction'>,
  work: (query: Query, transaction: Executor['transaction']) => Promise<Result>,
): Promise<Result> =>
  db.transaction(({ query, transaction }) =>
    inOneTrip(
      () => query(catalogPath),
      () => work(query, transaction),
    ),
  )
