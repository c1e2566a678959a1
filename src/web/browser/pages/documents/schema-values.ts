import type { Schema } from '../../api/documents-query'
import { isBrokenArray, itemsOf, parseParameter, schemaKind } from '../../values/schema-value'

/** The input of the form: text, or a boolean for a checkbox. Lists have one item per line. */
export type SchemaInput = Record<string, string | boolean>

/** @param urlParameters the URL's parameters, so that a link can fill in the form */
export function initialInput({ properties = {} }: Schema, urlParameters: URLSearchParams): SchemaInput {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const values = urlParameters.getAll(name)
      if (schemaKind(schema) === 'boolean') return [name, values.length ? values[0] === 'true' : schema.default === true]
      if (values.length === 0) return [name, toInputText(schema.default)]
      return [name, schemaKind(schema) === 'list' ? toListText(values) : values.join('\n')]
    }),
  )
}

const toInputText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return toListText(value.map(String))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** @returns the names of the lists whose text is a broken JSON array */
export const brokenLists = ({ properties = {} }: Schema, typed: SchemaInput): string[] =>
  Object.keys(properties).filter((name) => schemaKind(properties[name]!) === 'list' && isBrokenArray(String(typed[name] ?? '')))

function toListText(values: readonly string[]): string {
  const text = values.join('\n')
  const read = isBrokenArray(text) ? [] : itemsOf(text)
  return read.length === values.length && read.every((item, index) => item === values[index]) ? text : JSON.stringify(values)
}

/** The input as URL parameters. Lists repeat their parameter; empty values are omitted. */
export function toUrlParameters({ properties = {} }: Schema, typed: SchemaInput): [string, string][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, string][] => {
    const value = typed[name]
    if (typeof value === 'boolean') return [[name, String(value)]]
    if (!value) return []
    return schemaKind(schema) === 'list' ? itemsOf(value).map((item) => [name, item]) : [[name, value]]
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

export const hasRequiredInput = ({ required = [], properties = {} }: Schema, typed: SchemaInput): boolean =>
  required.every((name) => properties[name]?.default !== undefined || typed[name] !== '')
