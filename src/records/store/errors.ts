import { driverError, isMadeUp, sqlState } from '../../db/errors'
import { conflict, Failure, invalidRequest, notFound, type Problem, validationFailed } from '../../errors'
import { columnOfConstraint } from '../../tables/constraints'
import type { Table } from '../../tables/model'
import { namesAsked } from '../query/plan/requested-names'
import type { ReadPlan } from '../query/plan/types'
import { isTooHeavy, throwTooHeavy } from '../query/sql/weight'
import { pointerTo } from './pointer'

type DatabaseError = { message: string; column_name?: string; constraint_name?: string; detail?: string; hint?: string; routine?: string }

/**
 * What PostgreSQL says about a write → a failure that names the column, never the SQL or the value.
 * @param table whose rules have names that say which column they are about
 * @throws what it was given, when that is a failure already or has nothing to do with the values and the table
 */
export function throwWriteFailure(error: unknown, table?: Table): never {
  if (isTooHeavy(error)) throwTooHeavy(error)
  const state = error instanceof Failure ? undefined : sqlState(error)
  throw (state && caused(valueFailure(state, error, table) ?? changedTable(state), error)) ?? error
}

/** As `throwWriteFailure`, for a read. @param plan what was asked, where a caller's words and values are in it */
export function throwReadFailure(error: unknown, plan?: ReadPlan): never {
  const state = error instanceof Failure ? undefined : sqlState(error)
  // "Program limit exceeded": PostgreSQL puts no more than a gigabyte into one value.
  if (state?.startsWith('54')) throw invalidRequest('The answer would be larger than PostgreSQL can write.', 'Ask for fewer with `limit`.')
  throw (state && caused((plan && toQueryFailure(state, plan)) ?? changedTable(state) ?? incomputable(state), error)) ?? error
}

/** What a view or a column of the table works out, and cannot, whatever was asked. */
const incomputable = (state: string): Failure | null =>
  state.startsWith('22') || isRaised(state)
    ? conflict('The database cannot work out a value of this table.', { hint: 'A view or a function decides; ask who keeps the database.' })
    : null

/**
 * Class P0 is raised by a function in PL/pgSQL, which none of ours is; so are those of other languages, and what no
 * class of PostgreSQL's has.
 */
const isRaised = (state: string): boolean => /^(P0|09|28|2F|38|39|HV)/.test(state) || isMadeUp(state)

/** A value that is none of its type, or that nothing can be worked out from. */
export const isDataException = (error: unknown): boolean => sqlState(error)?.startsWith('22') ?? false

/** What only PostgreSQL could find wrong with a query; null where the query asks for nothing that could be. */
export function toQueryFailure(state: string, plan: ReadPlan): Failure | null {
  const names = namesAsked(plan)
  if (names.length === 0) return null
  const asked = `"${names.slice(0, 5).join('", "')}"${names.length > 5 ? ' …' : ''}`
  if (state === '2201B') return invalidRequest(`PostgreSQL cannot read the regular expression for a column: one of ${asked}.`)
  // "Invalid escape sequence".
  if (state === '22025') return invalidRequest(`A pattern ends with a backslash, which escapes nothing: for one of ${asked}.`)
  // Class 22 is "data exception": invalid text for a type, out of range, division by zero …
  if (state.startsWith('22')) {
    return invalidRequest(
      `A value in the query does not fit the type of its column: one of ${asked}.`,
      'GET /api/v1/tables shows the types.',
    )
  }
  // "Syntax error", of a query for a full text search; "undefined object", of its language, or of a type that an
  // extension brings.
  if (state === '42601') return invalidRequest(`A full text search cannot be read: of one of ${asked}.`)
  if (state === '42704')
    return invalidRequest(`The database has no such language for a search, or no such type to cast to: for one of ${asked}.`)
  // Undefined function or operator; type mismatch; ambiguous function; no such cast; grouping error; not supported.
  if (['42883', '42804', '42725', '42846', '42803', '0A000', '42P18', '42P22'].includes(state)) {
    return invalidRequest(
      `PostgreSQL has no such operation for the type of a column: of one of ${asked}.`,
      'GET /api/v1/tables shows the types.',
    )
  }
  return null
}

/** For a statement that fits the table as we know it, and not the table that is there. */
function changedTable(state: string): Failure | null {
  // Undefined table; undefined schema.
  if (['42P01', '3F000'].includes(state)) return notFound('The table is no longer in the database.')
  if (state === '42501') {
    return conflict('The database does not give Rowhouse the right to do this with the table.', {
      hint: 'Grant the role of DATABASE_URL its rights on the table again, in the database.',
    })
  }
  // Undefined column; undefined operator; type mismatch; wrong kind of relation; generated column; no such unique key;
  // a view that takes no writes, for which PostgreSQL has two.
  if (['42703', '42883', '42804', '42809', '428C9', '42P10', '55000', '0A000'].includes(state)) {
    return conflict('The table was changed in the database by other means than Rowhouse.', {
      hint: 'Change it back there, to the columns and types that GET /api/v1/tables shows.',
    })
  }
  return null
}

/** PostgreSQL's own words stay inside, for those who have to know whether definitions have changed. */
const caused = (failure: Failure | null, cause: unknown): Failure | null => failure && Object.assign(failure, { cause })

function valueFailure(state: string, error: unknown, table: Table | undefined): Failure | null {
  const source = driverError(error) as DatabaseError
  const columns = columnsOf(source)
  const at = (message: string): Problem[] => (columns.length ? columns : ['']).map((name) => ({ path: name && `/${name}`, message }))
  const named = columns.length ? `"${columns.join('", "')}"` : 'a column'
  if (state === '23505') return conflict(`Another record has this value in ${named}.`, { errors: at('must be unique') })
  if (state === '23P01')
    return conflict(`The value of ${named} clashes with another record.`, { errors: at('clashes with another record') })
  // 23001: PostgreSQL 18 tells "on delete restrict" from the other links.
  if (['23503', '23001'].includes(state)) return conflict(brokenLink(source, columns, table), { errors: at('breaks a link') })
  if (state === '23502') return validationFailed(at('is required and cannot be null'))
  const rule = state === '23514' && table && source.constraint_name ? columnOfConstraint(table, source.constraint_name) : undefined
  if (rule) return validationFailed([{ path: pointerTo('', rule.name), message: rule.message }])
  // Of a table or of a domain; without a name it is of partitions.
  if (state === '23514') return validationFailed(at(ruleProblem(source)))
  // A view's own condition on what is written through it.
  if (state === '44000') return validationFailed(at('does not fit the condition of the view that it is written through'))
  if (state === '42501' && source.routine === 'ExecWithCheckOptions') {
    return conflict('Row level security refused this.', { hint: 'A policy of the table decides; ask who keeps the database.' })
  }
  if (state === '21000') return validationFailed([{ path: '', message: 'Two of the records have the same key.' }])
  // Class 22 is "data exception": out of range, invalid text for a type, NUL in a string (22P05) …
  if (state.startsWith('22')) return validationFailed(at('A value is out of range or not of its column’s type.'))
  // Class 54 is "program limit exceeded": a key or unique value longer than an index entry, a row wider than a page.
  if (state.startsWith('54')) return validationFailed(at('A value is too long for a key or a unique column, or the record is too wide.'))
  if (isTold(state)) return toRuleFailure(source)
  // The text may be PostgreSQL's, and hold values.
  return isRaised(state) ? toRuleFailure() : null
}

/** PostgreSQL has one SQLSTATE for both ends of a link; which it is, the constraint and the columns of the key say. */
function brokenLink({ constraint_name: constraint }: DatabaseError, columns: string[], table: Table | undefined): string {
  const isSame = (names: readonly string[]) => names.join('\n') === columns.join('\n')
  const own = table?.foreignKeys.find(({ name, columns: linking }) => name === constraint && isSame(linking))
  const isTarget = table?.uniqueKeys.some(isSame) ?? false
  const isBoth = own && isTarget && own.target.schema === table?.schema && own.target.name === table.name && isSame(own.targetColumns)
  const named = `"${columns.join('", "')}"`
  if (own && !isBoth) return `${named} links to a record that does not exist.`
  if (isTarget && !isBoth) return 'Other records still link to this one.'
  return `The value of ${columns.length ? named : 'a column'} links to a record that does not exist, or other records still link to this one.`
}

const ruleProblem = ({ constraint_name: name }: DatabaseError): string =>
  name ? `does not fit the rule "${name}"` : 'belongs to no partition of this table'

/** Raised by the author of a function or trigger, for the caller to read. */
const isTold = (state: string): boolean => state === 'P0001' || isMadeUp(state)

/** @param told what a trigger says; a row that is left out without a word says nothing */
export function toRuleFailure(told?: { message: string; hint?: string }): Failure {
  const hint = told?.hint || 'A trigger of the table decides; ask who keeps the database.'
  return conflict(`A rule in the database refused this${told ? `: ${toSentence(told.message)}` : '.'}`, { hint })
}

const toSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`).replace(/[!?]$/, (sign) => `${sign}.`)

/**
 * The columns that an error is about: named by PostgreSQL, or read from `Key (a, b)=(…)`, of which the values are left
 * out.
 */
function columnsOf({ column_name, detail }: DatabaseError): string[] {
  if (column_name) return [column_name]
  const [, names] = /^Key \((.*?)\)=\(/s.exec(detail ?? '') ?? []
  return names ? names.split(', ').map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')) : []
}
