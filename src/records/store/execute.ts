import { type CachedIdentity, withIdentityCheck } from '../../auth/identity/identity-check'
import { arrayLiteral } from '../../db/arrays'
import type { Query } from '../../db/open'
import type { Table } from '../../tables/model'
import type { Statement } from '../query/sql/statement'

/**
 * A prepared statement stays with its connection for good, and of shapes there are more than memory has room for. So of
 * each table the first shapes are prepared at once, others when they turn out to be asked for again and again, and none
 * beyond `most`. `Db.query` has a limit for all tables together.
 */
const atOnce = 12
const most = 40
const timesAsked = 20
const mostCandidates = 200

type Shapes = { prepared: Set<string>; asked: Map<string, number> }

/** A new version of a table is a new object, so what was counted for the old one is forgotten with it. */
const known = new WeakMap<Table, Shapes>()

function isPrepared(table: Table, text: string): boolean {
  const shapes = known.get(table) ?? { prepared: new Set(), asked: new Map() }
  known.set(table, shapes)
  const { prepared, asked } = shapes
  if (prepared.has(text)) return true
  if (prepared.size >= most) return false
  const times = (asked.get(text) ?? 0) + 1
  // Behind all others, so that the one asked for longest ago stands first.
  asked.delete(text)
  if (prepared.size < atOnce || times >= timesAsked) return Boolean(prepared.add(text))
  asked.set(text, times)
  if (asked.size > mostCandidates) asked.delete(asked.keys().next().value!)
  return false
}

/** Runs a statement on a table, whose text depends on the shape of what was asked, and never on values. */
export const run = <Row extends object>(query: Query, table: Table, { text, parameters }: Statement, share = table.id) =>
  query<Row>(text, parameters, { prepare: isPrepared(table, text), share })

/**
 * As `run`, for a select. If it gives a row, that row also says whether those who are presumed to ask are who they are
 * presumed to be.
 * @param presumed of all requests that the rows are for
 */
export async function runProving<Row extends object>(
  query: Query,
  table: Table,
  statement: Statement,
  presumed: readonly CachedIdentity[],
) {
  if (presumed.length === 0) return run<Row>(query, table, statement)
  const share = presumed.length === 1 ? presumed[0]!.userId : undefined
  const rows = await run<Row & { proven: boolean }>(query, table, proving(statement, presumed), share)
  if (rows[0]?.proven) for (const each of presumed) each.state = 'verified'
  return rows
}

function proving({ text, parameters }: Statement, presumed: readonly CachedIdentity[]): Statement {
  const claims = [...new Set(presumed.map(({ version }) => version))]
  return { text: provenText(text, parameters.length), parameters: [...parameters, arrayLiteral(claims)] }
}

const mostTexts = 500
const provenTexts = new Map<string, string>()

/** Made once for each text, which says by itself how many parameters it has. */
function provenText(text: string, parameterCount: number): string {
  const known = provenTexts.get(text)
  if (known) return known
  const made = withIdentityCheck(text, `$${parameterCount + 1}::text[]`)
  if (provenTexts.size === mostTexts) provenTexts.delete(provenTexts.keys().next().value!)
  provenTexts.set(text, made)
  return made
}
