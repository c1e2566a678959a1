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

const linesOf = (text: string) => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')

/** Null for other texts. */
function parseTexts(text: string): string[] | null {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null
  } catch {
    return null
  }
}

/** One value per line, or a JSON array of texts, which may have line breaks. */
const itemsOf = (text: string): string[] => parseTexts(text) ?? linesOf(text)

/** Whether it begins as a JSON array and is none: its lines would be wrong values. */
const isBrokenArray = (text: string): boolean => /^\s*\[\s*"/.test(text) && !parseTexts(text)

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

function parseParameter(schema: Schema, text: string): unknown {
  const kind = schemaKind(schema)
  if (kind === 'number') return toExactNumber(text)
  if (kind === 'list' && isBrokenArray(text)) return text
  if (kind === 'list') return itemsOf(text).map((item) => (schema.items ? parseParameter(schema.items, item) : item))
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
