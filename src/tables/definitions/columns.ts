import type { AuditSource } from '../../auth/audit/audit-log'
import type { Query } from '../../db/pool/open'
import { withCatalogPath } from '../../db/search-path'
import { conflict, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Tables } from '../catalog/catalog'
import { columnTypes } from '../column-types'
import { isVirtual } from '../computed-value'
import { ignoresCase } from '../constraints'
import { addColumnStatements, type ColumnDescription, commentStatement, dropColumnStatements } from '../ddl'
import { renamedFormula } from '../formulas/formula'
import { renamedFormulaText } from '../formulas/language/compile'
import type { AddedColumn, Column, ColumnPatch, Table } from '../model'
import { identifier, qualifiedName } from '../sql-text'
import { isSameType } from '../sql-types'
import { findNotation } from '../text-notation'
import { alterStatements, renameStatements } from './alteration'
import { addCaselessIndex, constraintsOf, requireDistinct } from './column-constraints'
import { type ColumnChange, describeChange } from './column-patch'
import { setColumnPosition } from './column-position'
import { defaultProblems } from './column-validation'
import { countRenamed, requireUnreferenced } from './conversion/choice-renames'
import { type ChangeScope, requireComparedAlike, requireUncompared } from './conversion/choice-uses'
import { changesMeaning } from './conversion/column-conversion'
import { addCopyStatements, requireCopyable } from './conversion/column-copy'
import { type ConversionFindings, convertedDefault, failingValues, foundChoices, reportOn } from './conversion/conversion-report'
import { throwChangeError } from './errors'
import { sourceOnly, splitOptions } from './formula-columns'
import { isUsedBy } from './formula-uses'
import { lookUpNames } from './links/linked-names'
import { lockLinkedNames } from './links/missing-records'
import { deleteColumnMetadata, insertColumnMetadata, noteOtherMeaning, updateColumnMetadata, updateVirtualMetadata } from './metadata'
import { checkPattern } from './patterns'
import { type Definitions, withSchemaLock } from './schema-lock'
import { dropSearchIndexes } from './search-indexes'
import { addFormula, getColumn, getTableById, ownTable, requireConfirmation, runStatements } from './service'
import { describeNewColumn } from './table-description'
import { describeVirtualColumn, requireUnread } from './virtual-columns'

/** A new column of these types does not rewrite the records, and is not in the index for the search. */
const besideSearch = ['boolean', 'json', 'attachment', 'manyLinks', 'user']

/** @throws Failure not_found, conflict, validation_failed */
export async function addColumn(
  definitions: Definitions,
  reference: string,
  { position, copyValuesFrom, ...input }: AddedColumn,
): Promise<Column> {
  const ids = await withSchemaLock(definitions, async ({ query, tables }) => {
    const table = ownTable(tables, reference)
    if (table.columns.some(({ name }) => name === input.name)) {
      throw conflict(translatable('The table already has a column with this name.'), {
        errors: [{ path: '/name', message: translatable('is taken') }],
      })
    }
    const described = describeNewColumn(input, table, tables)
    const isComputed = described.type === 'formula' || isVirtual(described)
    if (isComputed && copyValuesFrom !== undefined)
      throw validationFailed([{ path: '/copyValuesFrom', message: translatable('A computed column cannot be given values.') }])
    try {
      await checkPattern(query, described, '')
      const column = await completed(query, tables, table, described)
      if (described.type !== 'formula' && !isVirtual(described) && (copyValuesFrom !== undefined || !besideSearch.includes(described.type)))
        await dropSearchIndexes(query, table)
      if (described.type === 'autoNumber') await sortRecords(query, table)
      if (described.type !== 'formula') await runStatements(query, creationStatements(table, column, copyValuesFrom))
      await insertColumnMetadata(query, table.id, column)
      if (position !== undefined) await setColumnPosition(query, { ...table, columns: [...table.columns, column] }, column.id, position)
      return { table: table.id, column: column.id }
    } catch (error) {
      throwChangeError(error, { name: input.name, hasValues: copyValuesFrom !== undefined })
    }
  })
  return getColumn(await getTableById(definitions, ids.table), ids.column)
}

/**
 * Sorts the stored records by their key, because a new identity column numbers them in storage order. Unlike an update,
 * this runs no triggers, which would change the time and the author of the last change.
 */
async function sortRecords(query: Query, table: Table): Promise<void> {
  const name = qualifiedName(table)
  const [key] = await query<{ name: string }>(
    'select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = $1::regclass and i.indisprimary',
    [name],
  )
  if (key) await runStatements(query, [`cluster ${name} using ${identifier(key.name)}`, `alter table ${name} set without cluster`])
}

function creationStatements(table: Table, column: ColumnDescription, copyValuesFrom: string | undefined): string[] {
  if (copyValuesFrom === undefined) return addColumnStatements(table, column)
  const from = getColumn(table, copyValuesFrom)
  requireCopyable(from, column)
  return addCopyStatements(table, from, column)
}

/** Completes a new column with facts from PostgreSQL or other tables; a formula is added to the table. */
function completed(
  query: Query,
  tables: Tables,
  table: Table,
  described: ColumnDescription,
): Promise<ColumnDescription> | ColumnDescription {
  if (described.type === 'formula') return addFormula(query, tables, table, described, '')
  return isVirtual(described) ? describeVirtualColumn(query, tables, table, described) : described
}

/**
 * @throws Failure not_found, validation_failed (the name is not confirmed), conflict (part of the key, used by another
 * column)
 */
export async function deleteColumn(
  definitions: Definitions,
  reference: string,
  columnReference: string,
  confirmed: string | undefined,
): Promise<void> {
  await withSchemaLock(definitions, async ({ query, tables }) => {
    const table = ownTable(tables, reference)
    const column = getColumn(table, columnReference)
    requireConfirmation(column.name, confirmed, 'column')
    if (table.primaryKey.includes(column.name))
      throw conflict(translatable('The column is part of the key, which the URLs of the records contain.'))
    await requireUnused(table, column, translatable('be deleted'))
    requireUnread(tables, table, column, null)
    try {
      await runStatements(query, dropColumnStatements(table, column))
      await deleteColumnMetadata(query, table.id, column.name)
    } catch (error) {
      throwChangeError(error)
    }
  })
}

/**
 * @param source the author of the change; null if there is no user
 * @throws Failure not_found, validation_failed, conflict (with the report, when values do not fit)
 */
export async function changeColumn(
  definitions: Definitions,
  reference: string,
  columnReference: string,
  patch: ColumnPatch,
  source: AuditSource | null,
): Promise<Column> {
  const ids = await withSchemaLock(definitions, async ({ query, tables }) => {
    const table = ownTable(tables, reference)
    const before = getColumn(table, columnReference)
    const notation = await findNotation(query, table, before, patch)
    const change = describeChange(table, before, patch, tables, { isDryRun: false, userId: source?.actorId ?? null, notation })
    let isStored = !isVirtual(before)
    try {
      if (changesDefinition(patch) || isVirtual(before)) {
        // Take the lock first, so that no work is lost if another session holds it. While values are checked, other
        // sessions may continue to read.
        const { names } = change.conversion ?? {}
        if (names?.isCreating) await query(lockLinkedNames(names.target))
        const mode = change.conversion ? 'share row exclusive' : 'access exclusive'
        const locked = [table, ...(change.conversion && before.joinTable ? [before.joinTable] : [])]
        await runStatements(query, [`lock table ${locked.map(qualifiedName).join(', ')} in ${mode} mode`])
        isStored = await applyChange(scopeOf(definitions, query, tables), table, before, change, patch)
      }
      const { name, description } = change.after
      // A column made anew by the conversion from or to a list has its description already.
      if (description !== before.description && isStored && !change.conversion?.list)
        await runStatements(query, [commentStatement(table, { ...before, name, description })])
      if (patch.position !== undefined) {
        const columns = table.columns.map((column) => (column === before ? { ...column, name } : column))
        await setColumnPosition(query, { ...table, columns }, before.id, patch.position)
      }
      if (name !== before.name) await definitions.catalog.followRename(query, tables, [before.name, name], source)
    } catch (error) {
      throwChangeError(error, { name: change.after.name, hasValues: true })
    }
    return { table: table.id, column: before.id }
  })
  return getColumn(await getTableById(definitions, ids.table), ids.column)
}

const scopeOf = ({ catalog }: Definitions, query: Query, tables: Tables): ChangeScope => ({
  ...{ query, tables },
  findComparisons: () => catalog.findComparisons(query, tables),
})

/** A change of only position or description needs no lock on the records. */
const changesDefinition = ({ position, description, ...definition }: ColumnPatch): boolean => Object.keys(definition).length > 0

/**
 * Reports what `changeColumn` would find among the values; changes nothing.
 * @throws Failure not_found, validation_failed, conflict
 */
export async function previewChange(
  definitions: Definitions,
  reference: string,
  columnReference: string,
  patch: ColumnPatch,
): Promise<ConversionFindings> {
  const tables: Tables = await definitions.catalog.current()
  const table = ownTable(tables, reference)
  const before = getColumn(table, columnReference)
  const notation = await findNotation(definitions.db.query, table, before, patch)
  const change = describeChange(table, before, patch, tables, { isDryRun: true, userId: null, notation })
  try {
    // The temporary table for the lookup of names exists until the end of the transaction.
    return change.conversion?.names
      ? await withCatalogPath(definitions.db, (query) => preview(scopeOf(definitions, query, tables), table, before, change))
      : await preview(scopeOf(definitions, definitions.db.query, tables), table, before, change)
  } catch (error) {
    throwChangeError(error)
  }
}

async function preview(scope: ChangeScope, table: Table, before: Column, change: ColumnChange): Promise<ConversionFindings> {
  const { query } = scope
  const after = await withChoices(query, table, before, change)
  await checkPattern(query, after, '')
  const { conversion } = change
  if (before.type === 'formula' || (before.type === 'manyLinks' && !conversion) || isVirtual(before))
    return { convertible: 0, failing: 0, rows: [] }
  await requireConvertible(scope, table, before, change)
  await prepareNames(query, table, before, change)
  const isNewRule = ignoresCase(after) && before.type === after.type && !ignoresCase(before)
  if (isNewRule) await requireDistinct(query, table, before.name)
  const { decimals, dates, ambiguous } = change.run.notation
  const report = {
    ...(await reportOn(query, table, before, after, conversion ?? unchanged)),
    ...(decimals || dates ? { notation: { ...(decimals ? { decimals } : {}), ...(dates ? { dates } : {}) } } : {}),
    ...(ambiguous.length ? { ambiguous } : {}),
  }
  if (!change.renames) return report
  await requireUnreferenced(scope, table, before, change.renames)
  return { ...report, renamed: await countRenamed(query, table, before, change.renames) }
}

/** Finds the records that the texts of a column and its default name, if it becomes a link. */
async function prepareNames(query: Query, table: Table, before: Column, { conversion, run, isDefaultSent }: ColumnChange): Promise<void> {
  if (!conversion?.names) return
  const toText = columnTypes[before.type].conversion!.toText
  const texts = `select ${toText(identifier(before.name))} as words from ${qualifiedName(table)}`
  const isDefaultNamed = !isDefaultSent && !conversion.list && before.default !== null && before.defaultExpression !== null
  const alsoDefault = isDefaultNamed ? ` union all select ${toText(`(${before.defaultExpression}::${before.sqlType})`)}` : ''
  await lookUpNames(query, conversion.names, texts + alsoDefault, run)
}

/** Leaves the values unchanged. */
const unchanged = { isKept: true, text: (value: string) => `${value}::text`, candidate: (text: string) => text, converts: () => 'true' }

async function applyChange(scope: ChangeScope, table: Table, before: Column, change: ColumnChange, patch: ColumnPatch): Promise<boolean> {
  const { query, tables } = scope
  const { name } = change.after
  await requireConvertible(scope, table, before, change)
  if (name !== before.name) await rename(query, table, before, name)
  if (isVirtual(before) && !patch.options) {
    await updateVirtualMetadata(query, before.id, change.after)
    return false
  }
  if (isVirtual(before) && before.type !== 'formula') {
    const computed = await describeVirtualColumn(query, tables, table, change.after)
    await requireComparedAlike(scope, table, before, computed.sqlType)
    await updateColumnMetadata(query, table.id, computed)
    return false
  }
  const renamed = { ...before, name }
  const after =
    before.type === 'formula'
      ? await reformulated(scope, table, before, change)
      : await altered(
          scope,
          { ...table, columns: table.columns.map((column) => (column === before ? renamed : column)) },
          renamed,
          change,
          patch,
        )
  await updateColumnMetadata(query, table.id, after)
  if (changesMeaning(before.type, after, change.conversion)) await noteOtherMeaning(query, table.id, after)
  return !isVirtual(after)
}

/** @throws Failure conflict if something that uses the column does not allow its new type */
async function requireConvertible(scope: ChangeScope, table: Table, before: Column, change: ColumnChange): Promise<void> {
  const { conversion, after } = change
  if (!conversion) return
  requireUnread(scope.tables, table, before, after, conversion.isKept)
  if (!conversion.isKept) await requireUnused(table, before, translatable('change its type'))
  if (!comparesAlike(before, change)) await requireUncompared(scope, table, before)
}

/** A choice is also compared as a text. A link is compared by the key of a record, not by its name. */
const comparesAlike = (before: Column, { conversion, after: { type, sqlType } }: ColumnChange): boolean =>
  conversion?.isKept === true ||
  (![before.type, type].some((each) => each === 'link' || each === 'manyLinks') &&
    (before.type === type || isSameType(before.sqlType, sqlType)))

async function rename(query: Query, table: Table, before: Column, name: string): Promise<void> {
  await runStatements(query, renameStatements(table, before, name, await constraintsOf(query, table, before.name)))
  for (const column of table.columns.filter(({ type }) => type === 'formula')) {
    const { formula, expression } = column.options
    if (typeof expression !== 'string' || !(await isUsedBy(before, column))) continue
    const typed = typeof formula === 'string' ? { formula: renamedFormulaText(formula, before.name, name) } : {}
    await updateColumnMetadata(query, table.id, {
      ...column,
      options: { ...column.options, ...typed, expression: await renamedFormula(expression, before.name, name) },
    })
  }
}

/** Another formula may have another type, so the column is made again. */
async function reformulated(scope: ChangeScope, table: Table, before: Column, { after }: ColumnChange): Promise<ColumnDescription> {
  const { query, tables } = scope
  const { formula, expression } = before.options
  const isSame = after.options.formula === formula && (formula !== undefined || after.options.expression === expression)
  if (isSame && before.options.problem === undefined)
    return {
      ...after,
      options: { ...splitOptions(before.options).others, ...splitOptions(after.options).display },
      ...(before.readFormula ? { readFormula: before.readFormula } : {}),
    }
  await runStatements(query, dropColumnStatements(table, { ...before, name: after.name }))
  const described = await addFormula(query, tables, table, { ...after, options: sourceOnly(after.options) }, '')
  if (described.generatedAs !== undefined) requireUnread(tables, table, before, described)
  await requireComparedAlike(scope, table, before, described.sqlType)
  return described
}

async function altered(
  scope: ChangeScope,
  table: Table,
  before: Column,
  change: ColumnChange,
  patch: ColumnPatch,
): Promise<ColumnDescription> {
  const { query } = scope
  const { conversion, isDefaultSent, renames } = change
  if (renames) await requireUnreferenced(scope, table, before, renames)
  const described = await withChoices(query, table, before, change)
  await prepareNames(query, table, before, change)
  const keepsDefault =
    isDefaultSent || conversion?.list || before.defaultExpression === null || !conversion || conversion.isKept || isFilled(before)
  const after = keepsDefault ? described : { ...described, default: await convertedDefault(query, before, described, conversion) }
  const problems = defaultProblems(isDefaultSent || conversion ? after : { ...after, default: null }, '')
  if (problems.length) throw validationFailed(problems)
  await checkPattern(query, after, '')
  if (conversion) {
    const report = await reportOn(query, table, before, after, conversion)
    if (report.failing && patch.onFailure !== 'null') throw await failingValues(query, table, before, after, report, renames)
  }
  const constraints = await constraintsOf(query, table, before.name)
  const isOwnKey = constraints.unique.length > 0 || (before.type === 'email' && constraints.caseless.length > 0)
  if (before.unique && !after.unique && !isOwnKey) throw madeElsewhere()
  if (renames || (conversion && (!conversion.isKept || patch.onFailure === 'null'))) await dropSearchIndexes(query, table)
  if (conversion?.list) {
    await runStatements(query, conversion.list.statements)
    return after
  }
  const how = { conversion, isDefaultSent, renames, isEmptying: patch.onFailure === 'null' }
  await runStatements(query, alterStatements(table, before, after, how, constraints))
  if (ignoresCase(after) && constraints.caseless.length === 0) await addCaselessIndex(query, table, after)
  return after
}

const madeElsewhere = () =>
  conflict(translatable('An index that Rowhouse did not create keeps the values unique.'), {
    errors: [{ path: '/unique', message: translatable('cannot be changed') }],
    hint: translatable('Drop the index in the database.'),
  })

/** Whether the type provides the default. */
const isFilled = ({ filledBy }: Column): boolean => filledBy === 'rowhouse'

/** A column that becomes a list of choices gets its present values as choices if none are sent. */
async function withChoices(query: Query, table: Table, before: Column, { after, conversion }: ColumnChange): Promise<ColumnDescription> {
  const isOpen = (after.type === 'select' || after.type === 'multiSelect') && after.options.choices === undefined
  if (!isOpen || !conversion) return after
  const choices = await foundChoices(query, table, before, after, conversion)
  return { ...after, options: { ...after.options, choices } }
}

/** @param what the rest of the sentence "The column cannot …" */
async function requireUnused(table: Table, column: Column, what: Message): Promise<void> {
  const formulas: string[] = []
  for (const formula of table.columns.filter(({ type }) => type === 'formula'))
    if (await isUsedBy(column, formula)) formulas.push(formula.name)
  if (formulas.length === 0) return
  throw conflict(
    translatable('The column cannot {what}, since a formula uses it: "{formulas}".', { what, formulas: formulas.join('", "') }),
    {
      hint: translatable('Change or delete the formula first.'),
      details: { formulas },
    },
  )
}
