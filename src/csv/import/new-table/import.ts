import type { Db } from '../../../db/pool/open'
import { catalogPath } from '../../../db/search-path'
import type { Catalog } from '../../../tables/catalog/catalog'
import { readTableInTransaction } from '../../../tables/catalog/table-in-transaction'
import { columnTypes } from '../../../tables/column-types'
import { rulesOf } from '../../../tables/constraints'
import { changeDisplayColumn, createTableInTransaction } from '../../../tables/definitions/service'
import { logTables } from '../../../tables/log/triggers'
import type { Column, NewColumn, Table, TableView } from '../../../tables/model'
import { type DateOrder, type DecimalMark, guessNotation } from '../../../tables/notation'
import { toTableResponse } from '../../../tables/present'
import { withoutNameApostrophe } from '../../formulas'
import { assignColumns } from '../columns'
import { correctCells } from '../corrections/apply'
import { copyToStaging, defineStaging, type ImportJob, importInTransaction, type OpenFile, openFile, toStaged, writeFile } from '../import'
import type { FileNotation } from '../notation-sql'
import type { ImportOptions, SharedImportOptions } from '../options'
import { linesOf } from '../problems/explanation'
import type { MendedCounts } from '../problems/mending'
import { type ImportSession, sessionQuery } from '../session'
import { plainColumn, type StagedColumn, stagedColumns } from '../statements'
import { cellName, invalidText, staging, valueName } from '../values'
import { checkGuesses, type GuessedFile, readMisfit } from './every-record'
import { maxGuessedChoices, needsTimeZone, widerType } from './guess'
import { toNearly } from './near-type'
import {
  type ColumnPlan,
  type FormOf,
  generatedKeyName,
  newTableOf,
  plannedNames,
  planTable,
  readColumnOverrides,
  requireNamingColumn,
  type TablePlan,
} from './plan'
import { takeSample } from './sample'

export type TableJob = Omit<ImportJob, 'options'> & {
  name: string
  /** `isPreview` reads only the beginning of the file and creates nothing. */
  options: SharedImportOptions & { isPreview: boolean }
  /** The column overrides of the caller, as JSON. */
  wishes?: string
  /** The column that names the records of the table. */
  displayColumn?: string
  formOf?: FormOf
}

/** A column found in the file; `name` is null for one that is skipped. */
type DisplayedColumn = {
  header: string
  name: string | null
  type: NewColumn['type']
  options: Record<string, unknown>
  nearly?: ReturnType<typeof toNearly>
}
type Shown = {
  name: string
  primaryKey: string
  columns: DisplayedColumn[]
  encoding: string
  delimiter: string
  /** The order of dates in the file and the decimal mark, requested or detected; null when the sample shows neither. */
  dates: DateOrder | null
  decimals: DecimalMark | null
  /** The parts of the notation that the sample leaves open. */
  ambiguous: (keyof FileNotation)[]
}

export type TablePreview = Shown & { dryRun: true; records: string[][] }
/** A dry run has no table. */
export type TableImported = Shown & { dryRun: boolean; table?: TableView; inserted: number } & Partial<MendedCounts>

const maxDisplayed = 20

/**
 * Creates a table with the records of a file, or nothing. Guesses the types from the first records, then checks them
 * against all records by the same rules: a number may get a wider type, every other guess that a record contradicts
 * becomes text. A type that the caller chose stays, and records that do not fit it are reported.
 * @throws Failure validation_failed, conflict (the name is taken), and like `importFile`
 */
export async function importTable(db: Db, catalog: Catalog, job: TableJob): Promise<TablePreview | TableImported> {
  const file = await openFile(job, [])
  const { delimiter } = file.header
  const areEscaped = job.options.formulas === 'escape'
  const names = areEscaped ? file.header.names.map(withoutNameApostrophe) : file.header.names
  const { records, lines } = await takeSample(file)
  const columns = names.map((_, index) => records.map((record) => record[index] ?? ''))
  const planned = plannedNames(names, columns)
  const overrides = readColumnOverrides(job.wishes, names, planned)
  const { ambiguous, ...found } = guessNotation(columns)
  const notation: FileNotation = {
    dates: job.options.dates ?? found.dates,
    decimals: job.options.decimals ?? found.decimals,
    timezone: job.options.timezone,
    formulas: job.options.formulas,
  }
  const { formOf = () => null } = job
  const plan = planTable(job.name, names, columns, { overrides, names: planned, notation, formOf, lines })
  if (job.displayColumn !== undefined) requireNamingColumn(plan, job.displayColumn)
  const shown = () => ({
    ...toPreview(plan),
    encoding: file.found.encoding,
    delimiter,
    dates: notation.dates ?? null,
    decimals: notation.decimals ?? null,
    ambiguous: [
      ...ambiguous.filter((name) => notation[name] === undefined),
      ...(columns.some((cells) => needsTimeZone(cells, notation)) ? (['timezone'] as const) : []),
    ],
  })
  const { complete = (result) => result } = job
  if (job.options.isPreview) {
    const first = records.slice(0, maxDisplayed)
    const displayed = areEscaped ? first.map((record) => record.map(withoutNameApostrophe)) : first
    return complete({ ...shown(), dryRun: true as const, records: displayed })
  }
  return importInTransaction(db, job, async (session) => {
    // The table is new, so its only triggers are those of the log, which set their own path.
    await session.run(catalogPath)
    let more = plainColumns(plan, notation)
    const scanner = await copyToStaging(session, file, more)
    await job.beforeWrite(sessionQuery(session), { bytes: file.bytes(), rows: scanner.rows() })
    const linesIn = (ids: string[]) => linesOf(session, { scanner, cells: names.length, isCorrected: false, isMended: false }, ids)
    if (scanner.problemCount() === 0 || job.options.areLinesSkipped)
      await widenGuesses(session, plan, { notation, formOf, linesOf: linesIn })
    const table = await makeWithin(session, { db, catalog }, plan, job.displayColumn)
    const options: ImportOptions = {
      ...job.options,
      ...notation,
      mode: 'insert',
      columns: plan.columns.map(({ role, column }) => (role === 'none' ? '' : column.name)),
      mapping: new Map(),
      isUnknownIgnored: false,
    }
    const assignment = assignColumns(table, names, file.rowOf(Math.max(1, file.header.lines)), options)
    more = await replaceColumns(session, file, more, stagedColumns(table, assignment, notation))
    const hasTexts = job.corrections !== null
    const staged = toStaged({ table, assignment, scanner, cells: names.length, notation, canChangeColumns: true, hasTexts }, more)
    await correctCells(session, staged, job.corrections ?? [])
    const { updated: _, ...counts } = await writeFile(session, staged, { ...job, options })
    const made = options.isDryRun ? {} : { table: toTableResponse(table, job.actor) }
    return { ...shown(), dryRun: options.isDryRun, ...made, ...counts }
  })
}

const toPreview = ({ name, key, columns }: TablePlan) => ({
  name,
  primaryKey: key.name,
  columns: columns.map(({ header, role, column, near }) => ({
    header,
    name: role === 'none' ? null : column.name,
    type: column.type,
    options: column.options ?? {},
    ...(near ? { nearly: toNearly(near) } : {}),
  })),
})

/** Creates the table within this transaction; others see it after the commit. */
async function makeWithin(
  session: ImportSession,
  definitions: { db: Db; catalog: Catalog },
  plan: TablePlan,
  displayColumn?: string,
): Promise<Table> {
  const query = sessionQuery(session)
  // From here on no other session can change definitions, so the definitions read now stay current.
  await query('update rowhouse.catalog_version set version = version + 1')
  await createTableInTransaction(query, await definitions.catalog.current(), newTableOf(plan))
  await logTables(query)
  const table = await readTableInTransaction(query, 'data', plan.name)
  return displayColumn === undefined ? table : { ...table, displayColumnId: await changeDisplayColumn(query, table, displayColumn) }
}

/**
 * Replaces, in `plan`, every guessed type that a record contradicts. A type whose cells PostgreSQL cannot read also
 * becomes text.
 */
async function widenGuesses(session: ImportSession, plan: TablePlan, file: GuessedFile): Promise<void> {
  const isKey = await checkGuesses(session, plan, file)
  await dropUnfitKey(session, plan, isKey)
  await fillChoices(session, plan, file.notation)
  let doubtful = plan.columns
    .map((planned, cell) => ({ planned, cell }))
    .filter(({ planned }) => planned.role === 'column' && !planned.isAsked)
  while (doubtful.length) {
    const conditions = doubtful.map(({ planned, cell }) => wrongCells(planned, cell, file.notation))
    const counts = conditions.map((condition, index) => `count(*) filter (where ${condition ?? 'false'})::int as n${index}`)
    const [row] = await session.run<Record<string, number>>(`select ${counts.join(', ')} from ${staging} s`)
    const wrong = doubtful.filter((_, index) => row![`n${index}`]! > 0)
    for (const [index, { planned, cell }] of doubtful.entries()) {
      const misfits = row![`n${index}`]!
      if (misfits === 0) continue
      const { name, ...guess } = planned.column
      planned.column = { name, type: widerType(guess.type) }
      if (planned.column.type === 'text')
        planned.near = await readMisfit(session, cell, { guess, misfits, condition: conditions[index]! }, file.linesOf)
    }
    doubtful = wrong
    doubtful = doubtful.filter(({ planned }) => planned.column.type !== 'text')
  }
}

const plainColumns = ({ columns }: TablePlan, notation: FileNotation): StagedColumn[] =>
  columns.flatMap((planned, cell) => plainColumn(toTableColumn(planned), cell, notation) ?? [])

/**
 * Replaces the staged columns that have changed: a column that has become text holds its cells in a different notation,
 * and the key type of a link is only known now.
 */
async function replaceColumns(
  session: ImportSession,
  file: OpenFile,
  before: StagedColumn[],
  after: StagedColumn[],
): Promise<StagedColumn[]> {
  const changed = after.filter(({ name, text }) => !before.some((column) => column.name === name && column.text === text))
  const steps = changed.map(({ name, text }) => `drop column if exists ${name}, add column ${name} text ${text}`)
  if (steps.length) await defineStaging(session, file, `alter table ${staging} ${steps.join(', ')}`)
  return after
}

/** The column of a plan as it will be in the table, with the members that matter for its cells. */
function toTableColumn({ column }: ColumnPlan): Column {
  const options = column.options ?? {}
  const sqlType = columnTypes[column.type].sqlType(options)
  return { ...column, options, sqlType, comparedAs: sqlType.replace(/\(.*\)/, '') } as Column
}

function wrongCells(planned: ColumnPlan, cell: number, notation: FileNotation): string | null {
  const column = toTableColumn(planned)
  const name = valueName({ cell, isPlain: plainColumn(column, cell, notation) === null })
  const invalid = invalidText(column, name, true)
  if (invalid) return invalid
  const rules = rulesOf({ name: column.name, type: planned.column.type, options: column.options }, name)
  return rules.length ? `not (${rules.map(({ condition }) => `(${condition})`).join(' and ')})` : null
}

/**
 * A key needs a different value in every record. Otherwise it becomes an ordinary column, and the table gets a
 * generated key.
 */
async function dropUnfitKey(session: ImportSession, plan: TablePlan, isKey: boolean): Promise<void> {
  const index = plan.columns.findIndex(({ role }) => role === 'key')
  const found = plan.columns[index]
  if (!found) return
  // The same UUID can be written in lower and upper case.
  const repeated = `select (pg_catalog.count(*) - pg_catalog.count(distinct pg_catalog.lower(${cellName(index)})))::int as repeated from ${staging} s`
  const [row] = await session.run<{ repeated: number }>(repeated)
  if (isKey && row!.repeated === 0) return
  plan.key = { name: generatedKeyName(plan), type: 'bigint' }
  Object.assign(found, { role: 'column', column: { name: found.column.name, type: found.column.type } })
}

/** Takes the choices from the whole file. With too many choices the column becomes text, unless it was requested. */
async function fillChoices(session: ImportSession, plan: TablePlan, notation: FileNotation): Promise<void> {
  for (const [index, planned] of plan.columns.entries()) {
    if (planned.column.type !== 'select' || planned.hasAskedOptions) continue
    const cell = valueName({ cell: index, isPlain: plainColumn(toTableColumn(planned), index, notation) === null })
    const rows = await session.run<{ choice: string }>(
      `select distinct ${cell} as choice from ${staging} s where ${cell} is not null limit ${maxGuessedChoices + 1}`,
    )
    const choices = rows.map(({ choice }) => choice)
    const isList = choices.length <= maxGuessedChoices && !choices.includes('')
    if (isList) planned.column = { ...planned.column, options: { choices: choices.sort() } }
    else if (!planned.isAsked) planned.column = { name: planned.column.name, type: 'text' }
  }
}
