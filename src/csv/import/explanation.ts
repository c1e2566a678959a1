import { arrayLiteral } from '../../db/arrays'
import { sqlState } from '../../db/errors'
import { catalogPath, ownPath } from '../../db/search-path'
import { Failure, fileRefused, type LineProblem } from '../../errors'
import { throwWriteFailure, toRuleFailure } from '../../records/store/errors'
import type { Table } from '../../tables/model'
import type { CsvScanner } from '../scanner'
import {
  type Check,
  type CheckRow,
  cellChecks,
  createTyped,
  type LengthRow,
  lengthChecks,
  lineOf,
  type RuleRow,
  ruleCheck,
  tableRules,
  textLengths,
  valueChecks,
} from './checks'
import type { Assignment } from './columns'
import type { ImportSession } from './session'
import type { StagedRange } from './statements'
import { staging } from './values'

/** A file that lies in the staging table, with what is known of its structure. */
export type Staged = { table: Table; assignment: Assignment; scanner: CsvScanner; cells: number }

/** As many as an answer shows; the total is told beside them. */
const maxDisplayed = 100

type FoundProblem = { id: string; otherId: string | null; check: Check; cell: string | null }

/**
 * Why a file cannot be imported: everything that can be found at once, record by record.
 * @param error what PostgreSQL said when it was tried, if it was
 * @param attempt tries to write a stretch of the records, for what only the attempt itself shows
 * @throws always: Failure validation_failed with the lines; or what was thrown, when that has nothing to do with the
 * records
 */
export async function explainImportFailure(
  session: ImportSession,
  staged: Staged,
  error: unknown,
  attempt?: (inner: ImportSession, stretch: StagedRange) => Promise<unknown>,
): Promise<never> {
  const state = error instanceof LeftOut ? 'P0001' : sqlState(error)
  if (error instanceof Failure || (error && (!state || !/^(2[123]|54|P0|0A|42846)/.test(state)))) throwWriteFailure(error, staged.table)
  // Rules of the table come with the names of all schemas but PostgreSQL's own.
  await session.run(catalogPath)
  const { found, total } = await findProblems(session, staged)
  const count = total + staged.scanner.problemCount()
  if (count > 0) throw fileRefused(await toLineProblems(session, staged, found), count)
  await session.run(ownPath)
  const located = attempt && (await locate(session, staged, attempt))
  if (located) throw fileRefused([located])
  return throwImportError(error, staged.table)
}

/** A trigger or a rule of the database has left records out, without an error. */
export class LeftOut extends Error {}

function throwImportError(error: unknown, table: Table): never {
  if (error instanceof LeftOut) throw toRuleFailure()
  return throwWriteFailure(error, table)
}

async function findProblems(session: ImportSession, { table, assignment }: Staged): Promise<{ found: FoundProblem[]; total: number }> {
  const found: FoundProblem[] = []
  let total = 0
  const look = async (checks: Check[]) => {
    for (const check of checks) {
      const rows = await tried(session, (inner) => inner.run<CheckRow>(check.text))
      total += Number(rows?.[0]?.total ?? 0)
      found.push(...(rows ?? []).map(({ id, other, cell }) => ({ id, otherId: other, cell, check })))
    }
  }
  await look(cellChecks(table, assignment))
  const lengths = (await tried(session, (inner) => inner.run<LengthRow>(textLengths(table)))) ?? []
  await look(lengthChecks(assignment, lengths))
  const isTyped = await tried(session, (inner) => inner.run(createTyped(table, assignment)))
  if (isTyped) {
    await look(valueChecks(table, assignment))
    const rules = (await tried(session, (inner) => inner.run<RuleRow>(tableRules(table)))) ?? []
    await look(rules.map((rule) => ruleCheck(table, assignment, rule)))
  }
  return { found, total }
}

/** A search that PostgreSQL refuses finds nothing; the other ones go on. */
async function tried<Result>(session: ImportSession, work: (inner: ImportSession) => Promise<Result>): Promise<Result | null> {
  try {
    return await session.attempt(work)
  } catch (error) {
    if (!/^(22|23|42|0A|54)/.test(sqlState(error) ?? '')) throw error
    return null
  }
}

/** The first problems in the order of the file, those of its structure among them. */
async function toLineProblems(session: ImportSession, staged: Staged, found: FoundProblem[]): Promise<LineProblem[]> {
  const lines = await linesOf(
    session,
    staged,
    found.flatMap(({ id, otherId }) => (otherId ? [id, otherId] : [id])),
  )
  const problems = found.map(({ id, otherId, check, cell }) => ({
    line: lines.get(id) ?? 0,
    column: check.column,
    message: check.message(cell, otherId === null ? null : (lines.get(otherId) ?? null)),
  }))
  return [...staged.scanner.problems, ...problems].sort((one, other) => one.line - other.line).slice(0, maxDisplayed)
}

async function linesOf(session: ImportSession, { scanner, cells }: Staged, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const list = arrayLiteral([...new Set(ids)])
  const rows = await session.run<{ id: string; line: number }>(lineOf(cells, scanner.hasBreaks()), [list])
  return new Map(rows.map(({ id, line }) => [id, scanner.fileLine(line)]))
}

/**
 * Halves the file until one record is left that cannot be written: for triggers, rules and types that no search above
 * knows.
 */
async function locate(
  session: ImportSession,
  staged: Staged,
  attempt: (inner: ImportSession, stretch: StagedRange) => Promise<unknown>,
): Promise<LineProblem | null> {
  const idAt = async (place: number) =>
    (await session.run<{ id: string }>(`select ctid::text as id from ${staging} order by ctid offset ${place} limit 1`))[0]?.id ?? '(0,0)'
  let [first, last] = [0, staged.scanner.rows() - 1]
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
  const lines = await linesOf(session, staged, [await idAt(first)])
  const failure = toImportFailure(refusal, staged.table)
  const problem = failure.extras.errors?.[0]
  return { line: [...lines.values()][0] ?? 0, column: problem?.path.slice(1) || null, message: problem?.message ?? failure.message }
}

function toImportFailure(error: unknown, table: Table): Failure {
  try {
    return throwImportError(error, table)
  } catch (failure) {
    if (failure instanceof Failure) return failure
    throw failure
  }
}
