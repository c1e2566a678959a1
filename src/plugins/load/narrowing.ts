import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * Members that an object's schema does not name are left out, at every depth, unless it says that it wants them, or
 * that it refuses them.
 */
export function withoutUnknown(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (schema.anyOf) return fitting(schema.anyOf, value)
  if (Array.isArray(value)) return schema.items?.type ? value.map((item) => withoutUnknown(schema.items, item)) : value
  const { type, properties, additionalProperties } = schema
  if (type !== 'object' || !properties) return value
  const named = ([name]: [string, unknown]) => additionalProperties !== undefined || Object.hasOwn(properties, name)
  const narrowed = ([name, item]: [string, unknown]) =>
    [name, Object.hasOwn(properties, name) ? withoutUnknown(properties[name], item) : item] as const
  return Object.fromEntries(Object.entries(value).filter(named).map(narrowed))
}

/** As the first of several schemas has it; what fits none of them stays as it is, and is refused. */
function fitting(schemas: TSchema[], value: object): unknown {
  for (const schema of schemas) {
    const narrowed = withoutUnknown(schema, value)
    if (Value.Check(schema, narrowed)) return narrowed
  }
  return value
}
