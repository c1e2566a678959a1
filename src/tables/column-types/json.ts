import { t } from 'elysia'
import type { Problem } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeDefinition } from './definition'
import { textProblem } from './text'

export const jsonProblem = (value: unknown): Message | null => {
  if (typeof value === 'string') return textProblem(value)
  if (typeof value !== 'object' || value === null) return null
  const inside = Array.isArray(value) ? value : Object.entries(value).flat()
  return inside.map(jsonProblem).find((found) => found !== null) ?? null
}

/** The problem of an object that is stored as jsonb, which cannot hold every text of JSON. @param path RFC 6901 */
export function objectProblems(path: string, value: object): Problem[] {
  const problem = jsonProblem(value)
  return problem ? [{ path, message: translatable('The object {problem}.', { problem }) }] : []
}

export const json: ColumnTypeDefinition = {
  description: 'Any JSON value (jsonb in PostgreSQL).',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'jsonb',
  problem: jsonProblem,
  valueSchema: () => ({}),
  conversion: {
    toText: (value) => `${value} #>> '{}'`,
    fromText: (text) => text,
    expectation: translatable('must be valid JSON'),
  },
}

/**
 * A type of PostgreSQL that has no equivalent in Rowhouse, in a table that Rowhouse did not make: only PostgreSQL
 * checks its values.
 */
export const other: ColumnTypeDefinition = {
  description: 'Another type of PostgreSQL, in a table that Rowhouse did not make.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'text',
  problem: json.problem,
  valueSchema: () => ({}),
}
