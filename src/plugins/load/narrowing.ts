import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * Removes members that an object's schema does not name, at every depth, unless the schema allows or forbids them
 * explicitly.
 */
export function withoutUnknown(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (schema.anyOf) return fitting(schema.anyOf, value)
  const { type, items, properties, patternProperties, additionalProperties } = schema
  if (Array.isArray(value))
    return items ? value.map((item, index) => withoutUnknown(Array.isArray(items) ? (items[index] ?? {}) : items, item)) : value
  if (type === 'object' && !properties && patternProperties) return withoutUnknownIn(schema, value)
  if (type !== 'object' || !properties) return value
  const named = ([name]: [string, unknown]) => additionalProperties !== undefined || Object.hasOwn(properties, name)
  const narrowed = ([name, item]: [string, unknown]) =>
    [name, Object.hasOwn(properties, name) ? withoutUnknown(properties[name], item) : item] as const
  return Object.fromEntries(Object.entries(value).filter(named).map(narrowed))
}

/** The same for a record (`t.Record`). A name that fits no pattern has a value that no schema checks. */
const withoutUnknownIn = ({ patternProperties, additionalProperties }: TSchema, value: object): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
      const patterns = Object.entries(patternProperties as Record<string, TSchema>)
      const [, schema] = patterns.find(([pattern]) => new RegExp(pattern).test(name)) ?? []
      if (schema) return [[name, withoutUnknown(schema, item)]]
      return additionalProperties === undefined ? [] : [[name, item]]
    }),
  )

/** Applies the first of several schemas that fits. A value that fits none stays as it is, and is rejected later. */
function fitting(schemas: TSchema[], value: object): unknown {
  for (const schema of schemas) {
    const narrowed = withoutUnknown(schema, value)
    // Defaults are filled in later, in the schema that is chosen here.
    if (Value.Check(schema, narrowed) || Value.Check(schema, Value.Default(schema, Value.Clone(narrowed)))) return narrowed
  }
  return value
}
