import type { Filter } from '../tree'

/**
 * SQL text with numbered parameters, each with its cast. A caller's values are in `parameters` and nowhere else; the
 * text depends on the shape only.
 */
export type Statement = {
  text: string
  parameters: (string | null)[]
  /** Which parameter is the value of a filter, from 0; -1 where several are. */
  filters?: ReadonlyMap<Filter, number>
  /** Which parameter each variable is, from 0. */
  variables?: ReadonlyMap<Variable, number>
}

/** A value that comes when the statement is sent, so that one text can be written once and sent often. */
export type Variable = 'records' | 'identities' | 'count' | 'origin'

/** Collects the parameters of one statement while its text is written, and gives each table in it a name of its own. */
export type StatementWriter = {
  parameters: (string | null)[]
  filters: Map<Filter, number>
  /**
   * @param filter whose value it is
   * @param type ready to stand in SQL
   * @returns `$3::int`, or `$3::text::"crm"."mood"`
   */
  parameter: (value: string | null, type: string, filter?: Filter) => string
  variables: Map<Variable, number>
  /** A parameter without a value; `bind` gives it one. */
  variable: (name: Variable, type: string) => string
  alias: () => string
  /** Whether the statement may find a page too heavy that is not (`weight.ts`). */
  isQuick: boolean
}

/** Of a filter whose value stands in more than one place. */
const severalPlaces = -1

export function startStatement({ isQuick = false } = {}): StatementWriter {
  const parameters: (string | null)[] = []
  const filters = new Map<Filter, number>()
  const variables = new Map<Variable, number>()
  let aliases = 0
  return {
    parameters,
    filters,
    parameter: (value, type, filter) => {
      const place = parameters.push(value)
      if (filter) filters.set(filter, filters.has(filter) ? severalPlaces : place - 1)
      return parameterText(place, type)
    },
    variables,
    variable: (name, type) => {
      const place = parameters.push(null)
      variables.set(name, place - 1)
      return parameterText(place, type)
    },
    alias: () => `t${++aliases}`,
    isQuick,
  }
}

/**
 * A prepared statement keeps the number of each parameter's type for as long as it lives, and a migration gives the
 * name of a type to another one. So only PostgreSQL's own types are types of parameters; values of the others go as
 * text, which is cast to what the name means now.
 */
const parameterText = (place: number, type: string): string => (isSchemaQualified(type) ? `$${place}::text::${type}` : `$${place}::${type}`)

/** `"crm"."mood"`, while `"char"` is PostgreSQL's own. */
const isSchemaQualified = (type: string): boolean => /^"(?:[^"]|"")+"\./.test(type)

export const finish = ({ parameters, filters, variables }: StatementWriter, text: string): Statement => ({
  text,
  parameters,
  filters,
  variables,
})

/** The statement with the values of its variables. @throws Error where one has none */
export function bind({ text, parameters, filters, variables }: Statement, values: Partial<Record<Variable, string>>): Statement {
  const bound = [...parameters]
  for (const [name, place] of variables ?? []) {
    const value = values[name]
    if (value === undefined) throw new Error(`The statement needs a value for "${name}".`)
    bound[place] = value
  }
  return { text, parameters: bound, filters }
}

/**
 * Sizes of pages that stand in the text as they are: with a parameter PostgreSQL plans anew for every page, which costs
 * up to 40 %.
 */
const usualSizes = new Set([1, 2, 5, 10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 1001, 5000, 10_000, 10_001])

/** @param more is added to it */
export const sizeText = (writer: StatementWriter, size: number, more = 0): string =>
  usualSizes.has(size) ? String(size + more) : writer.parameter(String(size + more), 'bigint')

/**
 * The text as the format of PostgreSQL's `format()`, with the statement's parameters as its arguments: `$2::date`
 * becomes `%2$L::date`. Names and constants in quotation marks stay what they are.
 */
export const asFormat = ({ text }: Statement): string =>
  text.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|%/g, (piece, number?: string) =>
    number === undefined ? piece.replaceAll('%', '%%') : `%${number}$L`,
  )
