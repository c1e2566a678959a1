import { arrayLiteral } from '../../../db/arrays'
import { sqlState, toRuleFailure } from '../../../db/errors'
import { catalogPath, ownPath } from '../../../db/search-path'
import { Failure, fileRefused, type LineProblem } from '../../../errors'
import { throwWriteFailure } from '../../../records/store/errors'
import type { Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import type { CsvScanner } from '../../scanner'
import { type Assignment, withoutOwnLinks } from '../assignment'
import type { MissingLinks } from '../keys/missing-links'
import type { FileNotation } from '../notation-sql'
import type { ImportSession } from '../session'
import type { StagedRange } from '../statements'
import { staging } from '../values'
import {
  type Check,
  cellChecks,
  createTyped,
  dropTyped,
  type LengthRow,
  lengthChecks,
  lineOf,
  type RuleRow,
  ruleCheck,
  tableRules,
  textLengths,
  valueChecks,
} from './checks'
import { countFaults, createFaults, type FaultCounts, lineSource, noteFaults, noteRecord } from './faults'
import { findMissingChoices } from './missing-choices'
import { sentTexts } from './sent-texts'

/**
 * A file in the staging table. `columns` are those of the staging table. `isCorrected` says whether a view corrects
 * its cells, `isMended` whether one hides its faults, and `skippedRows` how many records that view hides.
 */
export type Staged = {
  table: Table
  assignment: Assignment
  scanner: CsvScanner
  cells: number
  columns: readonly string[]
  notation: FileNotation
  isCorrected: boolean
  isMended: boolean
  skippedRows: number
  /** Whether the caller may change the columns of the table. */
  canChangeColumns: boolean
  /** Whether problems have the texts of their cells. */
  hasTexts: boolean
  missingLinks?: MissingLinks
  /** The tables as the caller sees them, when links have been resolved. */
  tables?: Tables
}

/** The maximum number of problems in a response, which also contains their total. */
const maxDisplayed = 100

type FoundProblem = { id: string; otherId: string | null; check: Check; cell: string | null }

/**
 * Why a file cannot be imported. `counts` is the number of cells and lines that mending would drop; all faults are
 * stored.
 */
export type Explanation = {
  problems: LineProblem[]
  total: number
  counts: FaultCounts
  areAllCells: boolean
  faultyColumns: ReadonlySet<string | null>
}

/** Tries to write a range of the records, to find errors that no search can. The staged assignment is the default. */
type Attempt = (inner: ImportSession, stretch: StagedRange, written?: Assignment) => Promise<unknown>

/**
 * Finds out why a file cannot be imported: all problems that can be found at once, record by record.
 * @param error PostgreSQL's error, if the import was tried
 * @throws `error` itself, when it is not about the records, or when no record causes it
 */
export async function explainImportFailure(
  session: ImportSession,
  staged: Staged,
  error: unknown,
  attempt?: Attempt,
): Promise<Explanation> {
  const state = error instanceof LeftOut ? 'P0001' : sqlState(error)
  if (error instanceof Failure || (error && (!state || !/^(2[123]|54|P0|0A|42846)/.test(state)))) throwWriteFailure(error, staged.table)
  // Expressions of the table's rules are printed with the schema of every name, except PostgreSQL's own.
  await session.run(catalogPath)
  await createFaults(session)
  const { found, total } = await findProblems(session, staged)
  const structure = staged.isMended ? 0 : staged.scanner.problemCount()
  if (total + structure > 0) {
    const counts = await countFaults(session)
    const problems = await toLineProblems(session, staged, found)
    const faultyColumns = new Set(found.map(({ check }) => check.column))
    await session.run(ownPath)
    const areAllCells = structure === 0 && found.every(({ check }) => check.cell !== undefined)
    return { problems, total: total + structure, counts: { ...counts, lines: counts.lines + structure }, areAllCells, faultyColumns }
  }
  await session.run(ownPath)
  const located = attempt && (await locateRecord(session, staged, error, attempt))
  if (!located) return throwImportError(error, staged.table)
  await noteRecord(session, located.id)
  return { problems: [located.problem], total: 1, counts: { cells: 0, lines: 1 }, areAllCells: false, faultyColumns: new Set() }
}

/** A trigger or a rule of the database has skipped records without an error. */
export class LeftOut extends Error {}

function throwImportError(error: unknown, table: Table): never {
  if (error instanceof LeftOut) throw toRuleFailure()
  return throwWriteFailure(error, table)
}

async function findProblems(
  session: ImportSession,
  { table, assignment, notation, tables }: Staged,
): Promise<{ found: FoundProblem[]; total: number }> {
  const found: FoundProblem[] = []
  let total = 0
  const look = async (checks: Check[]) => {
    for (const check of checks) {
      const rows = await tried(session, (inner) => noteFaults(inner, check, maxDisplayed))
      total += Number(rows?.[0]?.total ?? 0)
      found.push(...(rows ?? []).map(({ id, other, cell }) => ({ id, otherId: other, cell, check })))
    }
  }
  await look(cellChecks(table, assignment, notation))
  const lengths = (await tried(session, (inner) => inner.run<LengthRow>(textLengths(table)))) ?? []
  await look(lengthChecks(table, assignment, lengths))
  await session.run(dropTyped)
  const isTyped = await tried(session, (inner) => inner.run(createTyped(table, assignment)))
  if (isTyped) {
    await look(valueChecks(table, assignment, tables))
    const rules = (await tried(session, (inner) => inner.run<RuleRow>(tableRules(table)))) ?? []
    await look(rules.map((rule) => ruleCheck(table, assignment, rule)))
  }
  return { found, total }
}

/** A search that PostgreSQL rejects has no results; the other searches continue. */
async function tried<Result>(session: ImportSession, work: (inner: ImportSession) => Promise<Result>): Promise<Result | null> {
  try {
    return await session.attempt(work)
  } catch (error) {
    if (!/^(22|23|42|0A|54)/.test(sqlState(error) ?? '')) throw error
    return null
  }
}

/** The first problems in the order of the file, including those of its structure. */
async function toLineProblems(session: ImportSession, staged: Staged, found: FoundProblem[]): Promise<LineProblem[]> {
  const lines = await linesOf(
    session,
    staged,
    found.flatMap(({ id, otherId }) => (otherId ? [id, otherId] : [id])),
  )
  const texts = await sentTexts(
    session,
    staged,
    found.map(({ id, check }) => ({ id, column: check.column })),
  )
  const problems = found.map(({ id, otherId, check, cell }) => ({
    line: lines.get(id) ?? 0,
    column: check.column,
    message: check.message(cell, otherId === null ? null : (lines.get(otherId) ?? null)),
    ...texts(id, check.column),
  }))
  return [...(staged.isMended ? [] : staged.scanner.problems), ...problems]
    .sort((one, other) => one.line - other.line)
    .slice(0, maxDisplayed)
}

/** The lines of the file, by the ids of staged records. */
export async function linesOf(
  session: ImportSession,
  staged: Pick<Staged, 'scanner' | 'cells' | 'isMended' | 'isCorrected'>,
  ids: string[],
): Promise<Map<string, number>> {
  const { scanner, cells } = staged
  if (ids.length === 0) return new Map()
  const list = arrayLiteral([...new Set(ids)])
  const text = lineOf(cells, scanner.hasBreaks(), lineSource(staged), 'r.id = any($1::tid[])')
  const rows = await session.run<{ id: string; line: number }>(text, [list])
  return new Map(rows.map(({ id, line }) => [id, scanner.fileLine(line)]))
}

const brokenLinkState = '23503'

type Located = { id: string; problem: LineProblem; state: string | undefined }

/** Carries the result out of the savepoint that undoes the attempts. */
class LocatedProblem extends Error {
  constructor(readonly located: Located | null) {
    super('The attempts are undone.')
  }
}

/**
 * Finds the record that cannot be written. A range of the file may link to later records that it does not contain. Such
 * links fail in the range but not in the whole file; the search then starts over without them.
 */
async function locateRecord(session: ImportSession, staged: Staged, error: unknown, attempt: Attempt): Promise<Located | null> {
  const located = await locateAndUndo(session, staged, attempt)
  const written = located?.state === brokenLinkState ? withoutOwnLinks(staged.table, staged.assignment) : null
  if (!written) return located
  const other = await locateAndUndo(session, staged, (inner, stretch) => attempt(inner, stretch, written))
  return other ?? (sqlState(error) === brokenLinkState ? located : null)
}

async function locateAndUndo(session: ImportSession, staged: Staged, attempt: Attempt): Promise<Located | null> {
  try {
    return await session.attempt(async (inner): Promise<never> => {
      throw new LocatedProblem(await locate(inner, staged, attempt))
    })
  } catch (error) {
    if (error instanceof LocatedProblem) return error.located
    throw error
  }
}

/**
 * Halves the file until one record is left that cannot be written. This finds errors of triggers, rules and types that
 * the searches above do not cover.
 */
async function locate(session: ImportSession, staged: Staged, attempt: Attempt): Promise<Located | null> {
  const idAt = async (place: number) =>
    (await session.run<{ id: string }>(`select ctid::text as id from ${staging} order by ctid offset ${place} limit 1`))[0]?.id ?? '(0,0)'
  const [rows] = await session.run<{ count: number }>(`select count(*)::int as count from ${staging}`)
  let [first, last] = [0, rows!.count - 1]
  let refusal: unknown = null
  while (first <= last) {
    const middle = first === last ? last : Math.floor((first + last - 1) / 2)
    const stretch = { after: first === 0 ? '(0,0)' : await idAt(first - 1), upTo: await idAt(middle), count: middle - first + 1 }
    const error = await session
      .attempt((inner) => attempt(inner, stretch))
      .then(
        () => null,
        (thrown) => thrown ?? true,
      )
    if (error && !(error instanceof LeftOut) && !sqlState(error)) throw error
    if (first === last) {
      refusal = error
      break
    }
    if (error) last = middle
    else first = middle + 1
  }
  if (!refusal) return null
  const id = await idAt(first)
  const lines = await linesOf(session, staged, [id])
  const failure = toImportFailure(refusal, staged.table)
  const problem = failure.extras.errors?.[0]
  const line = [...lines.values()][0] ?? 0
  const located = { line, column: problem?.path.slice(1) || null, message: problem?.message ?? failure.text }
  return { id, problem: located, state: sqlState(refusal) }
}

function toImportFailure(error: unknown, table: Table): Failure {
  try {
    return throwImportError(error, table)
  } catch (failure) {
    if (failure instanceof Failure) return failure
    throw failure
  }
}

/**
 * @throws always Failure validation_failed, with the lines, the counts of cells and lines that mending would drop, the
 * count of linked records that could be created, and, for a caller who may add them, the choices that columns lack
 */
export async function throwExplained(session: ImportSession, staged: Staged, explanation: Explanation): Promise<never> {
  const { problems, total, counts, faultyColumns } = explanation
  const { missingLinks, assignment, canChangeColumns } = staged
  const { creatable = 0, obstacle = null } = missingLinks ?? {}
  const find = async () => {
    await session.run(catalogPath)
    return tried(session, (inner) => findMissingChoices(inner, assignment, faultyColumns))
  }
  const missingChoices = (canChangeColumns && (await find())) || []
  const more = {
    ...{ cellCount: counts.cells, lineCount: counts.lines },
    ...(creatable ? { linkCount: creatable } : {}),
    ...(missingChoices.length ? { missingChoices } : {}),
  }
  throw fileRefused(problems, total, more, obstacle ?? undefined)
}
