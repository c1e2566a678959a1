import type { User } from '../auth/model'
import { sqlState } from '../db/errors'
import type { Executor } from '../db/pool/open'
import { ruleText } from '../records/query/sql/rules'
import { finish, startStatement } from '../records/query/sql/statement'
import type { AccessSource, StoredRule } from '../tables/access-source'
import type { Tables } from '../tables/catalog/catalog'
import { qualifiedName } from '../tables/ddl'
import type { Column, RowRule, Table } from '../tables/model'
import { isSameRule, writableRows } from '../tables/row-rules'
import { withRules } from './document-rules'
import { type AccessImpact, type Action, type ActionChange, actions, type Extent, type UserChange, type VisibilityChange } from './model'
import { narrowTables, rulesNaming } from './narrow-tables'

/** The maximum number of user-table pairs to check, so that a dry run ends. */
const maxPairs = 2000
const maxCounts = 400
/** The maximum number of differences to count in one statement. */
const maxDifferences = 100
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
  const ofRules = new Set(tables.list.flatMap((table) => (isNamed(tables, table) || isNamed(after, table) ? [table.id] : [])))
  // Computed columns of other tables have no values without what they read.
  const isConcerned = ({ id, columns }: Table) => ofRules.has(id) || columns.some(({ reads }) => reads?.some((read) => ofRules.has(read)))
  const concerned = tables.list.filter(isConcerned)
  const counting: Counting = { executor, left: maxCounts, isPartial: false }
  const others = users.filter(({ role, disabled }) => role !== 'admin' && !disabled)
  const maxUsers = Math.max(1, Math.floor(maxPairs / Math.max(1, concerned.length)))
  if (others.length > maxUsers) counting.isPartial = true
  const views = others
    .slice(0, maxUsers)
    .map((user) => ({ user, before: narrowTables(tables, { user }), after: narrowTables(after, { user }) }))
  const found: AccessImpact['tables'] = []
  for (const table of concerned) {
    const changes: UserChange[] = []
    for (const view of views) {
      const change = await userChange(counting, table, view)
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

/** The tables as they are narrowed for a user, by the rules that apply and by the others. */
type UserView = { user: User; before: Tables; after: Tables }

async function userChange(counting: Counting, table: Table, view: UserView): Promise<UserChange | null> {
  const { id, name, role } = view.user
  const [before, after] = [view.before.byId.get(table.id), view.after.byId.get(table.id)]
  const change: UserChange = { id, name }
  for (const action of actions) {
    const [was, is] = [rowsFor(before, action, role), rowsFor(after, action, role)]
    if (isSameRule(was, is)) continue
    // Records that do not exist yet cannot be counted.
    const counts = action === 'create' ? uncounted : (await countDifferences(counting, table, [{ was, is }]))[0]!
    if (counts.gained === 0 && counts.lost === 0 && extentOf(was) === extentOf(is)) continue
    change[action] = { before: extentOf(was), after: extentOf(is), ...counts }
  }
  const columns = columnChange(before, after, isReadable)
  if (columns) change.columns = columns
  const cells = await cellChanges(counting, view, before, after)
  if (cells.length > 0) change.cells = cells
  const canWrite = (view: Table | undefined) => (['create', 'update'] as const).some((action) => rowsFor(view, action, role) !== 'none')
  // Otherwise the change of the action says it.
  const writable = canWrite(before) && canWrite(after) ? columnChange(before, after, isWritable) : null
  if (writable) change.writable = writable
  return Object.keys(change).length > 2 ? change : null
}

/** A computed column without what it reads is still there, with a problem and without values. */
const isReadable = ({ isReadable: isAllowed, options }: Column) => isAllowed && options.problem === undefined
const isWritable = (column: Column) => column.isWritable

function columnChange(
  before: Table | undefined,
  after: Table | undefined,
  has: (column: Column) => boolean,
): { gained: string[]; lost: string[] } | null {
  const names = (table: Table | undefined) => new Set(table?.columns.filter(has).map(({ name }) => name))
  const [was, is] = [names(before), names(after)]
  const [gained, lost] = [[...is.difference(was)], [...was.difference(is)]]
  return gained.length + lost.length > 0 ? { gained, lost } : null
}

/**
 * The columns that are read before and after, and are then visible in other records. Those that are computed from other
 * records than before are not counted.
 */
async function cellChanges(
  counting: Counting,
  view: UserView,
  before: Table | undefined,
  after: Table | undefined,
): Promise<VisibilityChange[]> {
  if (!before || !after) return []
  const rowsOf = (tables: Tables, id: string) => rowsFor(tables.byId.get(id), 'read', view.user.role)
  const readsOthers = ({ reads = [] }: Column) => reads.some((id) => !isSameRule(rowsOf(view.before, id), rowsOf(view.after, id)))
  const now = new Map(after.columns.map((column) => [column.id, column]))
  const computed: VisibilityChange[] = []
  const changed = before.columns.flatMap((column) => {
    const other = now.get(column.id)
    if (!other || !isReadable(other) || !isReadable(column)) return []
    // The SQL of a lookup has the condition by which it shows a column of the other table.
    if (readsOthers(column) || !Bun.deepEquals(column.computed, other.computed)) {
      computed.push({ column: column.name, ...uncounted })
      return []
    }
    const [was, is]: [RowRule, RowRule] = [column.access?.visibleIn ?? 'all', other.access?.visibleIn ?? 'all']
    return isSameRule(was, is) ? [] : [{ column: column.name, was, is }]
  })
  if (changed.length === 0) return computed
  // Columns of the same lines are visible in the same records, which are counted once.
  const differences = Map.groupBy(changed, ({ was, is }) => JSON.stringify([was, is]))
  const counts = await countDifferences(
    counting,
    before,
    [...differences.values()].map(([first]) => first!),
    [before.access?.read ?? 'all', after.access?.read ?? 'all'],
  )
  const counted = [...differences.values()]
    .flatMap((same, index) => same.map(({ column }) => ({ column, ...counts[index]! })))
    .filter(({ gained, lost }) => gained !== 0 || lost !== 0)
  return [...computed, ...counted]
}

type Difference = { was: RowRule; is: RowRule }
type Counts = Pick<ActionChange, 'gained' | 'lost'>

const uncounted: Counts = { gained: null, lost: null }

/** @param within only the records that all of these allow */
async function countDifferences(
  counting: Counting,
  table: Table,
  differences: readonly Difference[],
  within: readonly RowRule[] = [],
): Promise<Counts[]> {
  if (counting.left-- <= 0 || differences.length > maxDifferences) {
    counting.isPartial = true
    return differences.map(() => uncounted)
  }
  const writer = startStatement()
  const condition = (rule: RowRule) => `coalesce((${ruleText(writer, rule, 't') ?? 'true'}), false)`
  const counts = differences.flatMap(({ was, is }, index) => {
    const [before, after] = [condition(was), condition(is)]
    const count = (where: string, name: string) => `count(*) filter (where ${where})::int as ${name}_${index}`
    return [count(`${after} and not ${before}`, 'gained'), count(`${before} and not ${after}`, 'lost')]
  })
  const where = ['true', ...within.map(condition)].join(' and ')
  const { text, parameters } = finish(writer, `select ${counts.join(', ')} from ${qualifiedName(table)} t where ${where}`)
  try {
    return await counting.executor.transaction(async ({ query }) => {
      await query(`set local statement_timeout = '${countTimeout}'`)
      const [row] = await query<Record<string, number>>(text, parameters, { prepare: false })
      return differences.map((_, index) => ({ gained: row![`gained_${index}`]!, lost: row![`lost_${index}`]! }))
    })
  } catch (error) {
    // Cancelled: it took too long.
    if (sqlState(error) !== '57014') throw error
    counting.isPartial = true
    return differences.map(() => uncounted)
  }
}
