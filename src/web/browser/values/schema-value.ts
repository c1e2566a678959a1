import type { Schema } from '../api/documents-query'
import { toExactNumber } from './exact-number'

/** The allowed values, if the schema lists them. */
export function schemaChoices({ enum: listed, anyOf }: Schema): string[] | null {
  if (listed) return listed.map(String)
  return anyOf?.every((each) => each.const !== undefined) ? anyOf.map((each) => String(each.const)) : null
}

type SchemaKind = 'choice' | 'boolean' | 'number' | 'list' | 'date' | 'text' | 'json'

export function schemaKind(schema: Schema): SchemaKind {
  const { type, format, items } = schema
  if (schemaChoices(schema)) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.type === 'object' || items?.type === 'array' ? 'json' : 'list'
  if (type === 'string' || type === undefined) return format === 'date' ? 'date' : 'text'
  return 'json'
}

const linesOf = (text: string) => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')

/** The strings of a JSON array; null for other text. */
function parseTexts(text: string): string[] | null {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null
  } catch {
    return null
  }
}

/** One value per line, or a JSON array of texts, which may have line breaks. */
export const itemsOf = (text: string): string[] => parseTexts(text) ?? linesOf(text)

/** Whether the text begins like a JSON array but is not one: its lines would be wrong values. */
export const isBrokenArray = (text: string): boolean => /^\s*\[\s*"/.test(text) && !parseTexts(text)

/** The text as a value of the schema. One that cannot be parsed stays a string, and the service reports it. */
export function parseParameter(schema: Schema, text: string): unknown {
  const kind = schemaKind(schema)
  if (kind === 'number') return toExactNumber(text)
  if (kind === 'list' && isBrokenArray(text)) return text
  if (kind === 'list') return itemsOf(text).map((item) => (schema.items ? parseParameter(schema.items, item) : item))
  if (kind === 'choice') return (schema.enum ?? schema.anyOf?.map((each) => each.const))?.find((each) => String(each) === text) ?? text
  if (kind === 'text' && schema.anyOf?.every(({ type }) => type !== 'string')) {
    // Usually a schema that also allows null.
    return parseParameter(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, text)
  }
  if (kind === 'text' || kind === 'date') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
