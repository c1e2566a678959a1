import type { User } from '../auth/model'
import type { Executor } from '../db/pool/open'
import type { AccessSource, StoredRule } from '../tables/access-source'
import type { Tables } from '../tables/catalog/catalog'
import type { Column, RowRule, Table } from '../tables/model'
import { allOf, isSameRule, writableRows } from '../tables/row-rules'
import { type CountableDifference, DifferenceCounter, uncounted } from './difference-counter'
import { withRules } from './document-rules'
import { type AccessImpact, type Action, actions, type Extent, type UserChange } from './model'
import { narrowTables, rulesNaming } from './narrow-tables'

/** The maximum number of user-table pairs to check, so that a dry run ends. */
const maxPairs = 2000

/**
 * Computes what each user except administrators would gain and lose if a new document replaced the current one.
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
  // Computed columns and lists of links have no values unless the tables that they read are readable.
  const isConcerned = ({ id, columns }: Table) =>
    ofRules.has(id) || columns.some((column) => sourcesOf(column).some((read) => ofRules.has(read)))
  const concerned = tables.list.filter(isConcerned)
  const counter = new DifferenceCounter(executor)
  const others = users.filter(({ role, disabled }) => role !== 'admin' && !disabled)
  const maxUsers = Math.max(1, Math.floor(maxPairs / Math.max(1, concerned.length)))
  if (others.length > maxUsers) counter.isPartial = true
  const views = others
    .slice(0, maxUsers)
    .map((user) => ({ user, before: narrowTables(tables, { user }), after: narrowTables(after, { user }) }))
  const found: AccessImpact['tables'] = []
  for (const table of concerned) {
    const changes: UserChange[] = []
    for (const view of views) {
      const change = await userChange(counter, table, view)
      if (change) changes.push(change)
    }
    if (changes.length > 0) found.push({ id: table.id, name: table.name, users: changes })
  }
  return { dryRun: true, tables: found, isPartial: counter.isPartial }
}

const isNamed = ({ access }: Tables, table: Table) => access !== null && rulesNaming(access, table).length > 0

/** The other tables whose data the value shows. */
const sourcesOf = ({ reads = [], joinTable }: Column): string[] => (joinTable ? [...reads, joinTable.targetTableId] : reads)

/**
 * The rows on which the user may perform an action: all that the role permits if the table is not restricted. Only a
 * user who may read a record may change or delete it.
 * @param column only the rows in which this column may be changed
 */
function rowsFor(table: Table | undefined, action: Action, role: User['role'], column?: Column): RowRule {
  if (!table || (action !== 'read' && role === 'viewer')) return 'none'
  const { access } = table
  if (!access) return 'all'
  if (action === 'read') return access.read
  if (action === 'create') return writableRows(access, action, [])
  return allOf([access.read, action === 'delete' ? access.delete : writableRows(access, action, column ? [column] : [])])
}

const extentOf = (rule: RowRule): Extent => (typeof rule === 'object' ? 'some' : rule)

/** The tables as the user sees them, under the current rules and under the new ones. */
type UserView = { user: User; before: Tables; after: Tables }

async function userChange(counter: DifferenceCounter, table: Table, view: UserView): Promise<UserChange | null> {
  const { id, name, role } = view.user
  const [before, after] = [view.before.byId.get(table.id), view.after.byId.get(table.id)]
  const changed = actions.flatMap((action) => {
    const [was, is] = [rowsFor(before, action, role), rowsFor(after, action, role)]
    return isSameRule(was, is) ? [] : [{ action, was, is }]
  })
  const [cells, writableCells] =
    before && after ? [cellDifferences(view, before, after), writableDifferences(role, before, after)] : [[], []]
  // Records that do not exist yet cannot be counted.
  const countable = [...changed.filter(({ action }) => action !== 'create'), ...cells, ...writableCells]
  const countOf = await counter.count(table, countable)
  const change: UserChange = { id, name }
  for (const { action, was, is } of changed) {
    const counts = action === 'create' ? uncounted : countOf({ was, is })
    if (counts.gained === 0 && counts.lost === 0 && extentOf(was) === extentOf(is)) continue
    change[action] = { before: extentOf(was), after: extentOf(is), ...counts }
  }
  const countCells = (differences: readonly ColumnDifference[]) =>
    differences
      .map(({ column, ...difference }) => ({ column, ...countOf(difference) }))
      .filter(({ gained, lost }) => gained !== 0 || lost !== 0)
  const canWrite = (rules: Table | undefined) => (['create', 'update'] as const).some((action) => rowsFor(rules, action, role) !== 'none')
  // If the user could write only before or only after the change, the entry of the action reports it.
  const writable = canWrite(before) && canWrite(after) ? columnChange(before, after, isWritable) : null
  const ofColumns = {
    columns: columnChange(before, after, isReadable),
    cells: countCells(cells),
    writable,
    writableCells: countCells(writableCells),
  }
  const found = Object.entries(ofColumns).filter(([, its]) => its !== null && !(Array.isArray(its) && its.length === 0))
  Object.assign(change, Object.fromEntries(found))
  return Object.keys(change).length > 2 ? change : null
}

/** A computed column whose sources are hidden remains in the table, with a problem and without values. */
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

type ColumnDifference = CountableDifference & { column: string }

/** The columns that meet a condition both before and after the change. */
const columnPairs = (before: Table, after: Table, has: (column: Column) => boolean): [before: Column, after: Column][] => {
  const now = new Map(after.columns.map((column) => [column.id, column]))
  return before.columns.flatMap((column) => {
    const other = now.get(column.id)
    return other && has(column) && has(other) ? [[column, other]] : []
  })
}

/**
 * The columns that are readable before and after the change, but in different records. Columns that are computed from
 * different records than before are not counted.
 */
function cellDifferences(view: UserView, before: Table, after: Table): ColumnDifference[] {
  const rowsOf = (tables: Tables, id: string) => rowsFor(tables.byId.get(id), 'read', view.user.role)
  const readsOthers = (column: Column) => sourcesOf(column).some((id) => !isSameRule(rowsOf(view.before, id), rowsOf(view.after, id)))
  const inBoth: RowRule[] = [before.access?.read ?? 'all', after.access?.read ?? 'all']
  return columnPairs(before, after, isReadable).flatMap(([column, other]) => {
    // The SQL of a lookup contains the condition under which it shows a column of the other table.
    if (readsOthers(column) || !Bun.deepEquals(column.computed, other.computed)) return { column: column.name, was: null, is: null }
    const [was, is]: [RowRule, RowRule] = [column.access?.visibleIn ?? 'all', other.access?.visibleIn ?? 'all']
    return isSameRule(was, is) ? [] : { column: column.name, was: allOf([...inBoth, was]), is: allOf([...inBoth, is]) }
  })
}

/**
 * The columns that are writable before and after the change, but in different records, among the records that may be
 * changed both before and after.
 */
function writableDifferences(role: User['role'], before: Table, after: Table): ColumnDifference[] {
  const inBoth = [rowsFor(before, 'update', role), rowsFor(after, 'update', role)]
  return columnPairs(before, after, isWritable).flatMap(([column, other]) => {
    const [was, is] = [rowsFor(before, 'update', role, column), rowsFor(after, 'update', role, other)]
    return isSameRule(was, is) ? [] : { column: column.name, was: allOf([...inBoth, was]), is: allOf([...inBoth, is]) }
  })
}
