import type { Schema } from '../../api/documents-query'
import { toExactNumber } from '../../values/exact-number'

/** The input of the form: text, or a boolean for a checkbox. Lists have one item per line. */
export type SchemaInput = Record<string, string | boolean>

/** The allowed values, if the schema lists them. */
export function schemaChoices({ enum: listed, anyOf }: Schema): string[] | null {
  if (listed) return listed.map(String)
  return anyOf?.every((each) => each.const !== undefined) ? anyOf.map((each) => String(each.const)) : null
}

export type SchemaKind = 'choice' | 'boolean' | 'number' | 'list' | 'date' | 'text' | 'json'

export function schemaKind(schema: Schema): SchemaKind {
  const { type, format, items } = schema
  if (schemaChoices(schema)) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.type === 'object' || items?.type === 'array' ? 'json' : 'list'
  if (type === 'string' || type === undefined) return format === 'date' ? 'date' : 'text'
  return 'json'
}

/** @param urlParameters the URL's parameters, so that a link can fill in the form */
export function initialInput({ properties = {} }: Schema, urlParameters: URLSearchParams): SchemaInput {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const values = urlParameters.getAll(name)
      if (schemaKind(schema) === 'boolean') return [name, values.length ? values[0] === 'true' : schema.default === true]
      return [name, values.length ? values.join('\n') : toInputText(schema.default)]
    }),
  )
}

const toInputText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** The input as URL parameters. Lists repeat their parameter; empty values are omitted. */
export function toUrlParameters({ properties = {} }: Schema, typed: SchemaInput): [string, string][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, string][] => {
    const value = typed[name]
    if (typeof value === 'boolean') return [[name, String(value)]]
    if (!value) return []
    return schemaKind(schema) === 'list' ? linesOf(value).map((line) => [name, line]) : [[name, value]]
  })
}

/** The input as a request body. Values that cannot be parsed stay strings, and the service reports them. */
export function toParameterValues({ properties = {} }: Schema, typed: SchemaInput): Record<string, unknown> {
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const value = typed[name]
    if (value === undefined || value === '') return []
    return [[name, typeof value === 'boolean' ? value : parseParameter(schema, value)]]
  })
  return Object.fromEntries(entries)
}

function parseParameter(schema: Schema, text: string): unknown {
  const kind = schemaKind(schema)
  if (kind === 'number') return toExactNumber(text)
  if (kind === 'list') return linesOf(text).map((line) => (schema.items ? parseParameter(schema.items, line) : line))
  if (kind !== 'json' && kind !== 'choice') return text
  if (kind === 'choice') return (schema.enum ?? schema.anyOf?.map((each) => each.const))?.find((each) => String(each) === text) ?? text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const hasRequiredInput = ({ required = [], properties = {} }: Schema, typed: SchemaInput): boolean =>
  required.every((name) => properties[name]?.default !== undefined || typed[name] !== '')
