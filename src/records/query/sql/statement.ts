import type { Filter } from '../tree'

/**
 * SQL text with numbered parameters, each with its cast. A caller's values are in `parameters` and nowhere else; the
 * text depends only on the shape.
 */
export type Statement = {
  text: string
  parameters: (string | null)[]
  /** The parameter that holds the value of a filter, from 0; -1 if there are several. */
  filters?: ReadonlyMap<Filter, number>
  /** The parameter of each variable, from 0. */
  variables?: ReadonlyMap<Variable, number>
}

/** A value that is set when the statement is sent, so that one text can be written once and sent often. */
export type Variable = 'records' | 'identities' | 'count' | 'origin'

/** Collects the parameters of one statement while its text is written, and gives each table in it a unique alias. */
export type StatementWriter = {
  parameters: (string | null)[]
  filters: Map<Filter, number>
  /**
   * @param filter the filter that the value belongs to
   * @param type quoted for SQL
   * @returns `$3::int`, or `$3::text::"crm"."mood"`
   */
  parameter: (value: string | null, type: string, filter?: Filter) => string
  variables: Map<Variable, number>
  /** A parameter whose value `bind` sets later. */
  variable: (name: Variable, type: string) => string
  alias: () => string
  /** Whether the statement may falsely report a page as too heavy (`weight.ts`). */
  isQuick: boolean
}

/** For a filter whose value occurs in several places. */
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
 * A prepared statement keeps the OID of each parameter's type for its whole life, and a migration may give the type's
 * name to another type. So only PostgreSQL's own types are used for parameters; other values are sent as text, which is
 * cast to the type that currently has the name.
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

/** The statement with the values of its variables. @throws Error if one has none */
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
 * Page sizes that are written into the text: with a parameter, PostgreSQL plans again for every page, which costs up to
 * 40 %.
 */
const usualSizes = new Set([1, 2, 5, 10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 1001, 5000, 10_000, 10_001])

/** @param more is added to it */
export const sizeText = (writer: StatementWriter, size: number, more = 0): string =>
  usualSizes.has(size) ? String(size + more) : writer.parameter(String(size + more), 'bigint')

/**
 * The text as a format string of PostgreSQL's `format()`, with the statement's parameters as its arguments: `$2::date`
 * becomes `%2$L::date`. Quoted names and constants are unchanged.
 */
export const asFormat = ({ text }: Statement): string =>
  text.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|%/g, (piece, number?: string) =>
    number === undefined ? piece.replaceAll('%', '%%') : `%${number}$L`,
  )
