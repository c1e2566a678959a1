import type { Db, Query } from './open'

/**
 * An operator of one schema. Without a schema PostgreSQL takes the operator of the whole search path that fits the
 * types best, and so that of any role that may create in a schema of the path (CVE-2018-1058). Functions are written
 * `pg_catalog.lower(…)` for the same reason.
 * @param schema ready to stand in SQL
 */
export const operator = (name: string, schema = 'pg_catalog'): string => `operator(${schema}.${name})`

export const equal = operator('=')
export const concat = operator('||')
/** Of JSON, by a key or a place: as JSON and as text. */
export const jsonAt = operator('->')
export const textAt = operator('->>')

/** For the rest of the transaction, names without a schema are PostgreSQL's own. */
export const catalogPath = 'set local search_path to pg_catalog, pg_temp'

/** The value of the search path with one more schema before the others. @param schema SQL of its identifier */
export const schemaFirst = (schema: string): string => `${schema} ${concat} ', ' ${concat} pg_catalog.current_setting('search_path')`

/** Ends what `catalogPath` began: the path is the role's again. */
export const ownPath = 'set local search_path to default'

/**
 * A statement that writes to a users' table, in a transaction in which names are PostgreSQL's own otherwise: triggers
 * and checks find what they name.
 */
export const touchingRows = (statement: string): string[] => [ownPath, statement, catalogPath]

/**
 * A transaction in which names without a schema are PostgreSQL's own: for questions about its catalogue, and for
 * definitions. Not for writes to users' tables, whose triggers and functions rely on the search path of the role
 * (`touchingRows`).
 */
export const withCatalogPath = <Result>(db: Pick<Db, 'transaction'>, work: (query: Query) => Promise<Result>): Promise<Result> =>
  db.transaction(({ query }) =>
    inOneTrip(
      () => query(catalogPath),
      () => work(query),
    ),
  )

/** Sends what comes next without waiting for what comes first, which is done first all the same. */
export async function inOneTrip<Result>(first: () => Promise<unknown>, next: () => Promise<Result>): Promise<Result> {
  // A query is sent when somebody waits for it.
  const [, result] = await Promise.all([first().then(() => {}), next()])
  return result
}
