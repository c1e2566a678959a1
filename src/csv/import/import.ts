import type { TransactionSql } from 'postgres'
import { type Actor, canChangeTables } from '../../auth/identity/actor'
import { copyIn } from '../../db/copy'
import { sqlState } from '../../db/errors'
import type { Db, Query } from '../../db/pool/open'
import { originText, setOrigin } from '../../db/pool/origin'
import { currentScope } from '../../db/pool/scope'
import { Failure, fileRefused } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { throwWriteFailure, toDenial } from '../../records/store/errors'
import { accessDenied, requireWritable } from '../../records/store/rights'
import { runUndone } from '../../records/store/writes/transaction'
import type { Table } from '../../tables/model'
import type { Delimiter } from '../delimiter'
import { type DetectedEncoding, toUtf8 } from '../encoding'
import type { NamedRecords } from '../link-names'
import { type CsvScanner, createScanner } from '../scanner'
import type { Assignment } from './assignment'
import { assignColumns } from './columns'
import { correctCells } from './corrections/apply'
import type { Correction } from './corrections/read'
import { type Header, readHeader } from './header'
import { areNumbersTaken, type NumberSource, numberEmptyKeys } from './keys/counted-keys'
import { hasLinkFaults, resolveLinks } from './keys/links'
import type { CreatedLinks } from './keys/missing-links'
import type { FileSize } from './log'
import type { ImportOptions } from './options'
import { explainImportFailure, LeftOut, linesOf, type Staged } from './problems/explanation'
import { createMending, type MendedCounts, mendOrThrow, toMendedCounts } from './problems/mending'
import { createImportSession, type ImportSession, sessionQuery } from './session'
import {
  advanceCounters,
  cellList,
  copyStaging,
  countWithoutKey,
  createStaging,
  deniedStaged,
  exhaustedCounter,
  insertStaged,
  linkStaged,
  needsActor,
  repeatedKey,
  type StagedColumn,
  type StagedRange,
  stagedColumns,
  upsertStaged,
} from './statements'
import { unnamedColumns } from './unnamed-columns'

/**
 * `ignored` are the names of the header that were skipped; `encoding` and `delimiter` are those of the file, requested
 * or detected.
 */
export type ImportResult = {
  inserted: number
  updated: number
  dryRun: boolean
  ignored: (string | Message)[]
  encoding: DetectedEncoding['encoding']
  delimiter: Delimiter
} & Notes &
  Partial<MendedCounts>

export type ImportJob = {
  actor: Actor
  options: ImportOptions
  /** Null if the caller does not correct cells: problems then do not include the texts of cells. */
  corrections: readonly Correction[] | null
  /** The bytes of the file, as they arrive. */
  source: AsyncIterable<Uint8Array>
  /** Maps a line of the file to the row of the sheet that problems name. If omitted, problems name the line. */
  rowOf?: (line: number) => number
  /** The names that may replace keys in columns of links and users. */
  names: NamedRecords
  /** Adds the facts about a workbook to the result: its sheet, and the cells of problems. */
  complete?: <Result extends object>(result: Result) => Result
  limitMs: number
  /** Aborts when the client disconnects or the time is up. The signal's reason is then thrown. */
  signal: AbortSignal
  /** Called when the whole file has been read, before any of it is written. An error that it throws ends the import. */
  beforeWrite: (query: Query, size: FileSize) => Promise<void>
  /** Called at the end of the transaction, but not for a dry run. */
  beforeCommit: (query: Query, result: object) => Promise<void>
}

/** PostgreSQL's own limit for a table. */
const maxCells = 1600

/**
 * Imports the whole file or nothing. Copies UTF-8 to PostgreSQL unchanged; PostgreSQL reads, checks and writes all
 * records at once.
 * @throws Failure validation_failed with the lines; forbidden, conflict, invalid_request, payload_too_large,
 * query_timeout
 */
export async function importFile(db: Db, table: Table, job: ImportJob): Promise<ImportResult> {
  const { options } = job
  requireWritable(table, 'insert', ...(options.mode === 'upsert' ? (['update'] as const) : []))
  const file = await openFile(
    job,
    table.columns.filter(({ access }) => !access?.isHidden).map(({ name }) => name),
  )
  const assignment = assignColumns(table, file.header.names, file.rowOf(Math.max(1, file.header.lines)), options)
  try {
    return await importInTransaction(db, job, async (session) => {
      const more = stagedColumns(table, assignment, options)
      const scanner = await copyToStaging(session, file, more)
      const canChangeColumns = table.isOwn && canChangeTables(job.actor)
      const cells = file.header.names.length
      const staged = toStaged(
        { table, assignment, scanner, cells, notation: options, canChangeColumns, hasTexts: job.corrections !== null },
        more,
      )
      await correctCells(session, staged, job.corrections ?? [])
      await job.beforeWrite(sessionQuery(session), { bytes: file.bytes(), rows: scanner.rows() })
      const counts = await writeFile(session, staged, job)
      return {
        ...counts,
        dryRun: options.isDryRun,
        ignored: [...assignment.ignored, ...(await unnamedColumns(session, assignment))],
        encoding: file.found.encoding,
        delimiter: file.header.delimiter,
      }
    })
  } catch (error) {
    return throwWriteFailure(error, table)
  }
}

/** A file whose header has been read. `chunks` are the bytes after it, in UTF-8. */
export type OpenFile = {
  header: Header
  found: DetectedEncoding
  chunks: AsyncIterator<Uint8Array>
  bytes: () => number
  rowOf: (line: number) => number
}

/** @throws Failure validation_failed for a file without a header, or with too many columns */
export async function openFile(
  {
    source,
    options,
    rowOf = (line) => line,
  }: Pick<ImportJob, 'source' | 'rowOf'> & { options: Pick<ImportOptions, 'encoding' | 'delimiter' | 'hasHeader'> },
  known: readonly string[],
): Promise<OpenFile> {
  const found: DetectedEncoding = { encoding: 'utf-8' }
  let bytes = 0
  async function* counted() {
    for await (const chunk of source) {
      bytes += chunk.byteLength
      yield chunk
    }
  }
  const chunks = toUtf8(counted(), options.encoding, found)[Symbol.asyncIterator]()
  const { delimiter, hasHeader } = options
  const header = await readHeader(chunks, { delimiter, known, hasHeader })
  if (header.names.length > maxCells) {
    throw fileRefused([
      { line: rowOf(Math.max(1, header.lines)), column: null, message: translatable('has more than {maxCells} columns', { maxCells }) },
    ])
  }
  return { header, found, chunks, bytes: () => bytes, rowOf }
}

export async function importInTransaction<Result extends object>(
  db: Db,
  {
    limitMs,
    signal,
    complete = (result) => result,
    beforeCommit,
    options,
  }: Omit<ImportJob, 'options'> & { options: Pick<ImportOptions, 'isDryRun'> },
  work: (session: ImportSession) => Promise<Result>,
): Promise<Result> {
  const run = async (tx: TransactionSql) => {
    await tx.unsafe(`set local statement_timeout = ${limitMs}; set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'`)
    const origin = currentScope()?.origin
    if (origin) await tx.unsafe(setOrigin, [originText([origin])])
    const session = createImportSession(tx, signal)
    return { session, result: complete(await work(session)) }
  }
  if (options.isDryRun) return (await runUndone((inside) => db.bulk.begin(inside), run)).result
  const done = await db.bulk.begin(async (tx) => {
    const { session, result } = await run(tx)
    signal.throwIfAborted()
    await beforeCommit(sessionQuery(session), result)
    return { result }
  })
  return done.result as Result
}

/**
 * Copies the records into the staging table.
 * @param more the columns of the staging table beside the cells of the file
 * @throws Failure validation_failed for an error of COPY
 */
export async function copyToStaging(session: ImportSession, file: OpenFile, more: readonly StagedColumn[]): Promise<CsvScanner> {
  const { header } = file
  const scanner = createScanner(header.delimiter, header.names.length, header.lines, file.rowOf)
  await defineStaging(session, file, createStaging(header.names.length, more))
  try {
    await copyIn(session.tx, copyStaging(header.names.length, header.delimiter), csvRecordsOf(file, scanner))
  } catch (error) {
    throwCopyError(error, scanner)
  }
  return scanner
}

/**
 * @param statement creates or alters the staging table
 * @throws Failure validation_failed if it would have more columns than PostgreSQL can hold
 */
export async function defineStaging(session: ImportSession, { header, rowOf }: OpenFile, statement: string): Promise<void> {
  await session.run(statement).catch((error) => {
    if (sqlState(error) !== '54011') throw error
    const message = translatable(
      'has too many columns: there is room for {maxCells}, and those with formulas=escape, dates, decimals or a time zone need twice as much',
      { maxCells },
    )
    throw fileRefused([{ line: rowOf(Math.max(1, header.lines)), column: null, message }])
  })
}

async function* csvRecordsOf({ header, chunks }: OpenFile, scanner: CsvScanner): AsyncGenerator<Uint8Array> {
  yield* scanner.feed(header.rest)
  for (;;) {
    const { value, done } = await chunks.next()
    yield* done ? scanner.end() : scanner.feed(value)
    if (scanner.isBroken()) throw fileRefused(scanner.problems, scanner.problemCount())
    if (done) return
  }
}

/** PostgreSQL's error context names the line, counted in the copied text: `COPY …, line 7, column c2`. */
function throwCopyError(error: unknown, scanner: CsvScanner): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  const { where = '', message: said = '' } = (error ?? {}) as { where?: string; message?: string }
  const line = Number(/line (\d+)/.exec(where)?.[1] ?? Number.NaN)
  if (!state || !/^(22|54)/.test(state) || Number.isNaN(line)) throw error
  const message = said.includes('0x00')
    ? translatable('contains a NUL, which text cannot hold')
    : state === '22021'
      ? translatable('contains bytes that are not UTF-8')
      : state.startsWith('54')
        ? translatable('is too large for PostgreSQL to hold as text, or a record shortly before it is')
        : translatable('cannot be read as CSV')
  const problems = [...scanner.problems, { line: scanner.fileLine(Math.min(line, scanner.lines())), column: null, message }]
  throw fileRefused(problems.sort((one, other) => one.line - other.line).slice(0, 100), scanner.problemCount() + 1)
}

type Counts = { inserted: number; updated: number }

/**
 * `withoutKey` counts the records of an upsert that were created because they have no key. `counterAtEnd` is the column
 * whose counter is exhausted by the numbers of the file. `createdLinks` are the records that were created in linked
 * tables.
 */
type Notes = { withoutKey?: number; counterAtEnd?: string; createdLinks?: CreatedLinks[] }

export const toStaged = (
  staged: Omit<Staged, 'columns' | 'isCorrected' | 'isMended' | 'skippedRows'>,
  more: readonly StagedColumn[],
): Staged => ({
  ...staged,
  columns: [...cellList(staged.cells), ...more.map(({ name }) => name)],
  isCorrected: false,
  isMended: false,
  skippedRows: 0,
})

/** Writes the records of the staging table into the table. @throws Failure validation_failed with the lines */
export async function writeFile(
  session: ImportSession,
  staged: Staged,
  job: Pick<ImportJob, 'actor' | 'options' | 'names'>,
): Promise<Counts & Notes & Partial<MendedCounts>> {
  const mending = createMending(job.options)
  const { links: form, areLinksCreated, formulas } = job.options
  const creator = areLinksCreated ? job.actor.user.id : null
  const lineOf = async (id: string) => (await linesOf(session, staged, [id])).get(id) ?? 0
  const naming = { names: job.names, form, areEscaped: formulas === 'escape', creator, lineOf }
  const links = await resolveLinks(session, staged.table, staged.assignment, naming)
  const { created } = links.missing
  Object.assign(staged, { assignment: links.assignment, missingLinks: links.missing, tables: job.names.tables })
  if (staged.scanner.problemCount() > 0 || (await hasLinkFaults(session, staged.assignment)))
    await mendOrThrow(session, staged, mending, await explainImportFailure(session, staged, null))
  const { table, assignment } = staged
  let source: NumberSource = 'provisional'
  for (;;) {
    const numbered = await numberEmptyKeys(session, table, assignment, source)
    staged.assignment = numbered ?? assignment
    const isRehearsal = numbered !== null && source === 'provisional' && !job.options.isDryRun
    const tried = await tryWrite(session, staged, job, isRehearsal)
    if (!('error' in tried) && !isRehearsal) return { ...tried, ...toMendedCounts(mending), ...(created ? { createdLinks: created } : {}) }
    if (!('error' in tried) || (isRehearsal && (await areNumbersTaken(session, table, staged.assignment)))) {
      source = 'counter'
      continue
    }
    const { error, attempt } = tried
    const denied = toDenial(error, staged.table)
    if (denied) throw denied
    await mendOrThrow(session, staged, mending, await explainImportFailure(session, staged, error, attempt))
  }
}

type FailedWrite = { error: unknown; attempt: (inner: ImportSession, stretch: StagedRange, written?: Assignment) => Promise<Counts> }

async function tryWrite(
  session: ImportSession,
  { table, assignment, scanner, skippedRows }: Staged,
  { actor, options }: Pick<ImportJob, 'actor' | 'options'>,
  isRehearsal: boolean,
): Promise<(Counts & Notes) | FailedWrite> {
  const parameters = needsActor(table) ? [actor.user.id] : []
  const attempt = async (inner: ImportSession, stretch?: StagedRange, written = assignment) => {
    const counts = await writeStaged(inner, table, written, parameters, stretch)
    if (counts.inserted + counts.updated < (stretch?.count ?? scanner.rows() - skippedRows))
      throw table.access ? accessDenied(table, 'write') : new LeftOut()
    return counts
  }
  const write = async (inner: ImportSession) => {
    if (options.mode === 'upsert' && (await inner.run(repeatedKey(table, assignment.key))).length) throw new Repeated()
    const counts = await attempt(inner)
    if (isRehearsal) return counts
    const advance = options.isDryRun ? null : advanceCounters(table, assignment)
    if (advance) await inner.run(advance)
    return { ...counts, ...(await notesOn(inner, table, assignment)) }
  }
  try {
    return await (isRehearsal ? runUndone(session.attempt, write) : session.attempt(write))
  } catch (error) {
    return { error: error instanceof Repeated ? null : error, attempt }
  }
}

async function notesOn(session: ImportSession, table: Table, assignment: Assignment): Promise<Notes> {
  const counter = exhaustedCounter(table, assignment)
  const [exhausted] = counter === null ? [] : await session.run<{ counterAtEnd: string }>(counter)
  const { key } = assignment
  const [keyless] = key.length === 0 ? [] : await session.run<{ withoutKey: number }>(countWithoutKey(table, key))
  return { ...exhausted, ...(keyless?.withoutKey ? keyless : {}) }
}

/** Two records of the file have the same key. */
class Repeated extends Error {}

async function writeStaged(
  session: ImportSession,
  table: Table,
  assignment: Assignment,
  parameters: string[],
  range?: StagedRange,
): Promise<Counts> {
  let counts: Counts
  if (assignment.key.length) {
    const upsert = upsertStaged(table, assignment, parameters, range)
    const [row] = await session.run<Counts>(upsert.text, upsert.parameters)
    counts = { inserted: row!.inserted, updated: row!.updated }
  } else {
    const insert = insertStaged(table, assignment, parameters, range)
    counts = { inserted: (await session.run(insert.text, insert.parameters)).count, updated: 0 }
  }
  for (const statement of linkStaged(table, assignment, range)) await session.run(statement)
  const denied = deniedStaged(table, assignment, range)
  if (denied && (await session.run(denied.text, denied.parameters)).length > 0) throw accessDenied(table, 'write')
  // A constraint that is checked only at the commit could not be traced to a line.
  await session.run('set constraints all immediate')
  return counts
}
