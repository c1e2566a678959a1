import type { User } from '../auth/model'
import { sqlState } from '../db/errors'
import type { Executor } from '../db/pool/open'
import { ruleText } from '../records/query/sql/rules'
import { finish, startStatement } from '../records/query/sql/statement'
import type { AccessSource, StoredRule } from '../tables/access-source'
import type { Tables } from '../tables/catalog/catalog'
import { qualifiedName } from '../tables/ddl'
import type { RowRule, Table } from '../tables/model'
import { isSameRule, writableRows } from '../tables/row-rules'
import { withRules } from './document-rules'
import { type AccessImpact, type Action, type ActionChange, actions, type Extent, type UserChange } from './model'
import { narrowTables, rulesNaming } from './narrow-tables'

/** The maximum number of user-table pairs to check, so that a dry run ends. */
const maxPairs = 2000
const maxCounts = 400
const countTimeout = '2s'

type Counting = { executor: Executor; left: number; isPartial: boolean }

/**
 * What each user who is not an administrator would gain and lose by another document.
 * @param users those who can sign in or have tokens
 */
export async function readImpact(
  executor: Executor,
  tables: Tables,
  { rules, groupsOf }: { rules: StoredRule[]; groupsOf: AccessSource['groupsOf'] },
  users: readonly User[],
): Promise<Omit<AccessImpact, 'notices'>> {
  const after = withRules(tables, rules, groupsOf)
  const named = tables.list.filter((table) => isNamed(tables, table) || isNamed(after, table))
  const counting: Counting = { executor, left: maxCounts, isPartial: false }
  const others = users.filter(({ role, disabled }) => role !== 'admin' && !disabled)
  const maxUsers = Math.max(1, Math.floor(maxPairs / Math.max(1, named.length)))
  if (others.length > maxUsers) counting.isPartial = true
  const views = others
    .slice(0, maxUsers)
    .map((user) => ({ user, before: narrowTables(tables, { user }), after: narrowTables(after, { user }) }))
  const found: AccessImpact['tables'] = []
  for (const table of named) {
    const changes: UserChange[] = []
    for (const view of views) {
      const change = await userChange(counting, table, view.user, view.before.byId.get(table.id), view.after.byId.get(table.id))
      if (change) changes.push(change)
    }
    if (changes.length > 0) found.push({ id: table.id, name: table.name, users: changes })
  }
  return { dryRun: true, tables: found, isPartial: counting.isPartial }
}

const isNamed = ({ access }: Tables, table: Table) => access !== null && rulesNaming(access, table).length > 0

/** The rows for an action; within the role, all of them if the table is not restricted. */
function rowsFor(table: Table | undefined, action: Action, role: User['role']): RowRule {
  if (!table || (action !== 'read' && role === 'viewer')) return 'none'
  if (!table.access) return 'all'
  if (action === 'read' || action === 'delete') return table.access[action]
  return writableRows(table.access, action, [])
}

const extentOf = (rule: RowRule): Extent => (typeof rule === 'object' ? 'some' : rule)

async function userChange(
  counting: Counting,
  table: Table,
  { id, name, role }: User,
  before: Table | undefined,
  after: Table | undefined,
): Promise<UserChange | null> {
  const change: UserChange = { id, name }
  for (const action of actions) {
    const [was, is] = [rowsFor(before, action, role), rowsFor(after, action, role)]
    if (isSameRule(was, is)) continue
    // Records that do not exist yet cannot be counted.
    const counts = action === 'create' ? { gained: null, lost: null } : await countDifference(counting, table, was, is)
    if (counts.gained === 0 && counts.lost === 0 && extentOf(was) === extentOf(is)) continue
    change[action] = { before: extentOf(was), after: extentOf(is), ...counts }
  }
  const columns = columnChange(before, after)
  if (columns) change.columns = columns
  return Object.keys(change).length > 2 ? change : null
}

function columnChange(before: Table | undefined, after: Table | undefined): UserChange['columns'] | null {
  const names = (table: Table | undefined) => table?.columns.filter(({ isReadable }) => isReadable).map(({ name }) => name) ?? []
  const [was, is] = [names(before), names(after)]
  const gained = is.filter((name) => !was.includes(name))
  const lost = was.filter((name) => !is.includes(name))
  return gained.length + lost.length > 0 ? { gained, lost } : null
}

async function countDifference(
  counting: Counting,
  table: Table,
  was: RowRule,
  is: RowRule,
): Promise<Pick<ActionChange, 'gained' | 'lost'>> {
  if (counting.left-- <= 0) {
    counting.isPartial = true
    return { gained: null, lost: null }
  }
  const writer = startStatement()
  const [before, after] = [was, is].map((rule) => `coalesce((${ruleText(writer, rule, 't') ?? 'true'}), false)`)
  const counts = `count(*) filter (where ${after} and not ${before})::int as gained, count(*) filter (where ${before} and not ${after})::int as lost`
  const { text, parameters } = finish(writer, `select ${counts} from ${qualifiedName(table)} t`)
  try {
    return await counting.executor.transaction(async ({ query }) => {
      await query(`set local statement_timeout = '${countTimeout}'`)
      const [row] = await query<{ gained: number; lost: number }>(text, parameters, { prepare: false })
      return { gained: row!.gained, lost: row!.lost }
    })
  } catch (error) {
    // Cancelled: it took too long.
    if (sqlState(error) !== '57014') throw error
    counting.isPartial = true
    return { gained: null, lost: null }
  }
}
