import { driverError, isRaised, ruleFailure, sqlState } from '../../db/errors'
import { conflict, Failure, invalidRequest, notFound, type Problem, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { columnOfConstraint } from '../../tables/constraints'
import type { Table } from '../../tables/model'
import { namesAsked } from '../query/plan/requested-names'
import type { ReadPlan } from '../query/plan/types'
import { deniedLink, deniedRow } from '../query/sql/rules'
import { isTooHeavy, throwTooHeavy } from '../query/sql/weight'
import { columnsInDetail } from './key-detail'
import { pointerTo } from './pointer'
import { deniedRowFailure } from './rights'

type DatabaseError = { message: string; column_name?: string; constraint_name?: string; detail?: string; hint?: string; routine?: string }

/**
 * Translates an error of PostgreSQL about a write into a failure that names the column, never the SQL or the value.
 * @param tables the table written: the names of its rules' constraints tell which column a rule belongs to; several for
 * the commit of a batch, whose error may be about any of them
 * @throws Failure; or `error` itself, when it is a failure already or is not about the values or the table
 */
export function throwWriteFailure(error: unknown, ...tables: readonly Table[]): never {
  if (isTooHeavy(error)) throwTooHeavy(error)
  const table = tables.length === 1 ? tables[0] : undefined
  const denied = toDenial(error, table)
  if (denied) throw denied
  const state = error instanceof Failure ? undefined : sqlState(error)
  throw (state && caused(valueFailure(state, error, tables) ?? changedTable(state), error)) ?? error
}

/**
 * The failure for a statement that undid itself because the caller may not write such a row, or may not know the record
 * to which it links; null for another error.
 */
export function toDenial(error: unknown, table?: Table): Failure | null {
  const message = error instanceof Failure ? '' : String((driverError(error) as DatabaseError | null)?.message)
  if (message.includes(deniedRow)) return deniedRowFailure(table ?? null)
  const [, place] = new RegExp(`${deniedLink}:(\\d+):`).exec(message) ?? []
  if (place === undefined) return null
  const name = table?.columns[Number(place)]?.name
  const text = translatable('{named} links to a record that does not exist.', {
    named: name === undefined ? translatable('a column') : `"${name}"`,
  })
  return conflict(text, { errors: [{ path: name === undefined ? '' : pointerTo('', name), message: translatable('breaks a link') }] })
}

/** Like `throwWriteFailure`, for a read. @param plan the query, when it holds names and values that the caller sent */
export function throwReadFailure(error: unknown, plan?: ReadPlan): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  // "Program limit exceeded": a PostgreSQL value holds at most one gigabyte.
  if (state?.startsWith('54'))
    throw invalidRequest(translatable('The answer would be larger than PostgreSQL can write.'), translatable('Ask for fewer with `limit`.'))
  throw (state && caused((plan && toQueryFailure(state, plan, error)) ?? changedTable(state) ?? incomputable(state), error)) ?? error
}

/** A view or a generated column cannot compute a value, whatever the query is. */
const incomputable = (state: string): Failure | null =>
  state.startsWith('22') || isRaised(state)
    ? conflict(translatable('The database cannot compute a value of this table.'), {
        hint: translatable('A view, a function or a computed column fails; ask the administrator of the database.'),
      })
    : null

/** Class 22, "data exception": a value does not fit its type, or a computation with it fails. */
export const isDataException = (error: unknown): boolean => sqlState(error)?.startsWith('22') ?? false

/** The value does not fit its type, or a domain refuses it: as a null (23502), or by a check (23514). */
export const isUnfitValue = (error: unknown): boolean => isDataException(error) || ['23502', '23514'].includes(sqlState(error) ?? '')

const lostPlus = translatable('In a URL, + means a space: write %2B for the + of an offset.')
/** A timestamp whose offset has lost its sign: an unescaped `+` in a URL means a space. */
const unsignedOffset = /\d\d:\d\d(:\d\d(\.\d+)?)? \d\d(:?\d\d)?"/

/** A hint for a timestamp that PostgreSQL cannot read, probably because its `+` became a space. */
export const lostPlusHint = (error: unknown): Message | null =>
  unsignedOffset.test((driverError(error) as DatabaseError | null)?.message ?? '') ? lostPlus : null

/** Mistakes in a query that only PostgreSQL can find; null if no part of the query could cause the error. */
export function toQueryFailure(state: string, plan: ReadPlan, error: unknown): Failure | null {
  const names = namesAsked(plan)
  if (names.length === 0) return null
  const asked = `"${names.slice(0, 5).join('", "')}"${names.length > 5 ? ' …' : ''}`
  if (state === '2201B')
    return invalidRequest(translatable('PostgreSQL cannot parse the regular expression for one of these columns: {asked}.', { asked }))
  // "Invalid escape sequence".
  if (state === '22025')
    return invalidRequest(
      translatable('The pattern for one of these columns ends with a backslash that escapes nothing: {asked}.', { asked }),
    )
  // Class 22 is "data exception": invalid text for a type, out of range, division by zero …
  if (state.startsWith('22')) {
    return invalidRequest(
      translatable('A value in the query does not fit the type of one of these columns: {asked}.', { asked }),
      lostPlusHint(error) ?? translatable('GET /api/v1/tables shows the types.'),
    )
  }
  // "Syntax error" in the query of a full text search; "undefined object" for its language, or for an extension's type.
  if (state === '42601')
    return invalidRequest(translatable('PostgreSQL cannot parse the full text search of one of these columns: {asked}.', { asked }))
  if (state === '42704')
    return invalidRequest(
      translatable('The database does not have the search language, or the type of a cast, for one of these columns: {asked}.', { asked }),
    )
  // Undefined function or operator; type mismatch; ambiguous function; no such cast; grouping error; not supported.
  if (['42883', '42804', '42725', '42846', '42803', '0A000', '42P18', '42P22'].includes(state)) {
    return invalidRequest(
      translatable('PostgreSQL has no such operation for the type of one of these columns: {asked}.', { asked }),
      translatable('GET /api/v1/tables shows the types.'),
    )
  }
  return null
}

/** The statement fits the definition that Rowhouse has read, but the table in the database has changed since. */
function changedTable(state: string): Failure | null {
  // Undefined table; undefined schema.
  if (['42P01', '3F000'].includes(state)) return notFound(translatable('The table is no longer in the database.'))
  if (state === '42501') {
    return conflict(translatable('Rowhouse does not have the database privileges to do this with the table.'), {
      hint: translatable('Grant the role of DATABASE_URL its privileges on the table again.'),
    })
  }
  // Undefined column; undefined operator; type mismatch; wrong kind of relation; generated column; no such unique key;
  // a view that takes no writes (two SQLSTATEs).
  if (['42703', '42883', '42804', '42809', '428C9', '42P10', '55000', '0A000'].includes(state)) {
    return conflict(translatable('The table was altered outside Rowhouse.'), {
      hint: translatable('In the database, change it back to the columns and types that GET /api/v1/tables shows.'),
    })
  }
  return null
}

/** Keeps PostgreSQL's error as the `cause`, from which `refreshIfStale` finds out whether definitions have changed. */
const caused = (failure: Failure | null, cause: unknown): Failure | null => failure && Object.assign(failure, { cause })

function valueFailure(state: string, error: unknown, tables: readonly Table[]): Failure | null {
  const source = driverError(error) as DatabaseError
  const table = tables.length === 1 ? tables[0] : undefined
  const columns = columnsOf(source, table).filter((name) => isNamed(tables, name))
  const at = (message: Message): Problem[] =>
    (columns.length ? columns : ['']).map((name) => ({ path: name && pointerTo('', name), message }))
  const named = columns.length ? `"${columns.join('", "')}"` : translatable('a column')
  if (state === '23505')
    return conflict(translatable('Another record has this value in {named}.', { named }), { errors: at(translatable('must be unique')) })
  if (state === '23P01')
    return conflict(translatable('The value of {named} conflicts with another record.', { named }), {
      errors: at(translatable('conflicts with another record')),
    })
  // 23001: PostgreSQL 18 has a separate SQLSTATE for "on delete restrict".
  if (['23503', '23001'].includes(state)) return conflict(brokenLink(source, columns, table), { errors: at(translatable('breaks a link')) })
  if (state === '23502') return validationFailed(at(translatable('is required and cannot be null')))
  // The name of a rule may contain the name of a hidden column.
  if (state === '23514' && tables.some(({ columns: all }) => all.some(({ access }) => access?.isHidden)))
    return hiddenRuleFailure(table, source.constraint_name ?? '')
  const rule = state === '23514' && table && source.constraint_name ? columnOfConstraint(table, source.constraint_name) : undefined
  if (rule) return validationFailed([{ path: pointerTo('', rule.name), message: rule.message }])
  // A check of a table or of a domain. An error without a constraint's name is about partitions.
  if (state === '23514') return validationFailed(at(ruleProblem(source)))
  // A view's check option.
  if (state === '44000') return validationFailed(at(translatable('does not meet the condition of the view')))
  if (state === '42501' && source.routine === 'ExecWithCheckOptions') {
    return conflict(translatable('Row level security refused this.'), {
      hint: translatable('A policy of the table does not allow it; ask the administrator of the database.'),
    })
  }
  if (state === '21000') return validationFailed([{ path: '', message: translatable('Two of the records have the same key.') }])
  if (state === counterAtEnd) return exhaustedCounter(table, source.message)
  // Class 22 is "data exception": out of range, invalid text for a type, NUL in a string (22P05) …
  if (state.startsWith('22')) return validationFailed(at(translatable('A value is out of range or not of its column’s type.')))
  // Class 54 is "program limit exceeded": a key or unique value longer than an index entry, a row wider than a page.
  if (state.startsWith('54'))
    return validationFailed(at(translatable('A value is too long for a key or a unique column, or the record is too wide.')))
  return ruleFailure(state, source)
}

/** "Sequence generator limit exceeded". */
export const counterAtEnd = '2200H'

/** The counted column whose counter an error names; null if that is not known. */
export function countedColumnIn({ columns }: Table, message: string): string | null {
  const counted = columns.filter(
    ({ filledBy, defaultExpression, access }) =>
      !access?.isHidden && (filledBy === 'identity' || filledBy === 'identityAlways' || /^nextval\(/.test(defaultExpression ?? '')),
  )
  const named = counted.find(({ name }) => message.includes(`_${name}_seq`))
  return (named ?? (counted.length === 1 ? counted[0] : undefined))?.name ?? null
}

function exhaustedCounter(table: Table | undefined, message: string): Failure {
  const name = table ? countedColumnIn(table, message) : null
  const path = name === null ? '' : pointerTo('', name)
  const named = name === null ? translatable('a column') : `"${name}"`
  return conflict(translatable('The counter of {named} is exhausted: a record has the largest possible number.', { named }), {
    hint: translatable('Send an unused number, or delete that record and reset the counter in the database.'),
    errors: [{ path, message: translatable('has a counter that is exhausted') }],
  })
}

function hiddenRuleFailure(table: Table | undefined, constraint: string): Failure {
  const rule = table && columnOfConstraint(table, constraint)
  if (rule && !isHidden(table, rule.name)) return validationFailed([{ path: pointerTo('', rule.name), message: rule.message }])
  return validationFailed([{ path: '', message: translatable('does not fit a rule of this table') }])
}

const isHidden = (table: Table | undefined, name: string) =>
  table?.columns.some((column) => column.name === name && column.access?.isHidden) ?? false

/**
 * An error may come from another table, as with a cascade, and name a column of that table. It may concern any of
 * several tables, so no table may hide a column of this name.
 */
const isNamed = (tables: readonly Table[], name: string) => {
  const columns = tables.flatMap((table) => table.columns.filter((column) => column.name === name))
  return tables.length === 0 || (columns.length > 0 && columns.every(({ access }) => !access?.isHidden))
}

/** PostgreSQL has one SQLSTATE for both ends of a link. The constraint and the columns of the key tell them apart. */
function brokenLink({ constraint_name: constraint }: DatabaseError, columns: string[], table: Table | undefined): Message {
  const isSame = (names: readonly string[]) => names.join('\n') === columns.join('\n')
  const own = table?.foreignKeys.find(({ name, columns: linking }) => name === constraint && isSame(linking))
  const isTarget = table?.uniqueKeys.some(isSame) ?? false
  const isBoth = own && isTarget && own.target.schema === table?.schema && own.target.name === table.name && isSame(own.targetColumns)
  const named = `"${columns.join('", "')}"`
  if (own && !isBoth) return translatable('{named} links to a record that does not exist.', { named })
  if (isTarget && !isBoth) return translatable('Other records still link to this one.')
  return translatable('The value of {named} links to a record that does not exist, or other records still link to this one.', {
    named: columns.length ? named : translatable('a column'),
  })
}

const ruleProblem = ({ constraint_name: name }: DatabaseError): Message =>
  name ? translatable('does not fit the rule "{name}"', { name }) : translatable('belongs to no partition of this table')

/** The columns that an error is about: named by PostgreSQL, or read from its detail without the values. */
const columnsOf = ({ column_name, detail, constraint_name }: DatabaseError, table: Table | undefined): string[] =>
  column_name ? [column_name] : columnsInDetail(detail ?? '', table, constraint_name)
