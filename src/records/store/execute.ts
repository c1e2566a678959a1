import { type CachedIdentity, withIdentityCheck } from '../../auth/identity/identity-check'
import { arrayLiteral } from '../../db/arrays'
import type { Query } from '../../db/pool/open'
import { Lru } from '../../lru'
import type { Table } from '../../tables/model'
import type { Statement } from '../query/sql/statement'

/**
 * A prepared statement stays on its connection until that closes, and there are more shapes of statements than memory
 * has room for. So the first shapes of each table are prepared at once, further shapes after `minRequests` requests,
 * and never more than `maxPrepared`. `Db.query` has a limit for all tables together.
 */
const preparedAtOnce = 12
const maxPrepared = 40
const minRequests = 20
const maxCandidates = 200

type Shapes = { prepared: Set<string>; requested: Lru<string, number> }

/** A new version of a table is a new object, so the counts of the old version are dropped with it. */
const shapesOf = new WeakMap<Table, Shapes>()

function isPrepared(table: Table, text: string): boolean {
  const shapes = shapesOf.get(table) ?? { prepared: new Set(), requested: new Lru(maxCandidates) }
  shapesOf.set(table, shapes)
  const { prepared, requested } = shapes
  if (prepared.has(text)) return true
  if (prepared.size >= maxPrepared) return false
  const requests = (requested.get(text) ?? 0) + 1
  if (prepared.size >= preparedAtOnce && requests < minRequests) {
    requested.set(text, requests)
    return false
  }
  requested.delete(text)
  return Boolean(prepared.add(text))
}

/** Runs a statement on a table. Its text must depend only on the shape of the request, never on values. */
export const execute = <Row extends object>(query: Query, table: Table, { text, parameters }: Statement, share = table.id) =>
  query<Row>(text, parameters, { prepare: isPrepared(table, text), share })

/**
 * Like `execute`, for a select. If it returns a row, that row also verifies the cached identities.
 * @param identities the cached identities of all requests that the rows are for
 */
export async function executeVerified<Row extends object>(
  query: Query,
  table: Table,
  statement: Statement,
  identities: readonly CachedIdentity[],
) {
  if (identities.length === 0) return execute<Row>(query, table, statement)
  const share = identities.length === 1 ? identities[0]!.userId : undefined
  const rows = await execute<Row & { verified: boolean }>(query, table, verifying(statement, identities), share)
  if (rows[0]?.verified) for (const identity of identities) identity.state = 'verified'
  return rows
}

function verifying({ text, parameters }: Statement, identities: readonly CachedIdentity[]): Statement {
  const versions = [...new Set(identities.map(({ version }) => version))]
  return { text: selectWithVerification(text, parameters.length), parameters: [...parameters, arrayLiteral(versions)] }
}

const maxTexts = 500
const verifyingTexts = new Lru<string, string>(maxTexts)

/** Makes the text once for each statement. The statement's text determines `parameterCount`. */
function selectWithVerification(text: string, parameterCount: number): string {
  const cached = verifyingTexts.get(text)
  if (cached) return cached
  const made = withIdentityCheck(text, `$${parameterCount + 1}::text[]`)
  verifyingTexts.set(text, made)
  return made
}
