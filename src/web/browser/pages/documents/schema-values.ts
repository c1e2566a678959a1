/** As much of JSON Schema as forms are made of; what is not known is typed in as JSON. */
export type Schema = {
  type?: string
  title?: string
  description?: string
  default?: unknown
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
}

/** What stands in the controls: a text, or whether a box is ticked. Lists are lines. */
export type Typed = Record<string, string | boolean>

/** What can be chosen, where the schema lists it. */
export function choicesOf({ enum: listed, anyOf }: Schema): string[] | null {
  if (listed) return listed.map(String)
  return anyOf?.every((each) => each.const !== undefined) ? anyOf.map((each) => String(each.const)) : null
}

export type Kind = 'choice' | 'boolean' | 'number' | 'list' | 'date' | 'text' | 'json'

export function kindOf(schema: Schema): Kind {
  const { type, format, items } = schema
  if (choicesOf(schema)) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.type === 'object' || items?.type === 'array' ? 'json' : 'list'
  if (type === 'string' || type === undefined) return format === 'date' ? 'date' : 'text'
  return 'json'
}

/** @param asked from the page's address, so that a link can fill the form */
export function firstValues({ properties = {} }: Schema, asked: URLSearchParams): Typed {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const given = asked.getAll(name)
      if (kindOf(schema) === 'boolean') return [name, given.length ? given[0] === 'true' : schema.default === true]
      return [name, given.length ? given.join('\n') : textOf(schema.default)]
    }),
  )
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** For an address: each value as text, the lines of a list one after the other. Empty ones are left out. */
export function addressOf({ properties = {} }: Schema, typed: Typed): [string, string][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, string][] => {
    const value = typed[name]
    if (typeof value === 'boolean') return [[name, String(value)]]
    if (!value) return []
    return kindOf(schema) === 'list' ? linesOf(value).map((line) => [name, line]) : [[name, value]]
  })
}

/** For a body: as the schema names them. What cannot be read stays text, and the service says what is wrong with it. */
export function bodyOf({ properties = {} }: Schema, typed: Typed): Record<string, unknown> {
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const value = typed[name]
    if (value === undefined || value === '') return []
    return [[name, typeof value === 'boolean' ? value : readTyped(schema, value)]]
  })
  return Object.fromEntries(entries)
}

function readTyped(schema: Schema, text: string): unknown {
  const kind = kindOf(schema)
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'list') return linesOf(text).map((line) => (schema.items ? readTyped(schema.items, line) : line))
  if (kind !== 'json' && kind !== 'choice') return text
  if (kind === 'choice') return (schema.enum ?? schema.anyOf?.map((each) => each.const))?.find((each) => String(each) === text) ?? text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const isComplete = ({ required = [], properties = {} }: Schema, typed: Typed): boolean =>
  required.every((name) => properties[name]?.default !== undefined || typed[name] !== '')
