import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { keepsDigits } from '../../exact-json'

/**
 * Converts a value from a URL, which is always text. A value that fits its schema stays as it is; any other is
 * converted to the schema's type, if it is written exactly as a value of that type.
 */
export function convertedSetting(schema: TSchema, value: unknown): unknown {
  if (!schema.properties || typeof value !== 'object' || value === null) return exact(value, Value.Convert(schema, value))
  const read = ([name, item]: [string, unknown]) => {
    const own: TSchema | undefined = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    return [name, own && !Value.Check(own, item) ? exact(item, Value.Convert(own, item)) : item] as const
  }
  return Object.fromEntries(Object.entries(value).map(read))
}

const decimal = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/**
 * TypeBox reads 1.9, 1e3 and 0x10 as integers, and rounds numbers that are too long. Such a number would name another
 * record.
 */
function exact(text: unknown, read: unknown): unknown {
  if (Array.isArray(read)) return read.map((item, index) => exact([text].flat()[index], item))
  if (typeof read !== 'number' || typeof text !== 'string') return read
  const isSame = decimal.test(text) && keepsDigits(read, text) && (!Number.isInteger(read) || Number.isSafeInteger(read))
  return isSame ? read : text
}
