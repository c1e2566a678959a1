import type { Schema, Template } from '../../api/documents-query'
import { parseParameter, schemaKind } from '../../values/schema-value'

/**
 * The input as values of the schema. Empty values are omitted; the service reports invalid ones.
 * @param keys the parameters for the record's own key: in a list, the key is a single item even if it contains commas;
 * elsewhere, it may contain line breaks although the input drops them
 */
export function parseParameters(
  { params }: Pick<Template, 'params'>,
  values: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const read = ([name, schema]: [string, Schema]): [string, unknown][] => {
    const [text = '', key] = [values[name], keys[name]]
    const isKey = key !== undefined && [key, key.replace(/[\r\n]/g, '')].includes(text)
    const typed = isKey ? key : text
    if (schema.type === 'boolean') return [[name, typed === 'true']]
    if (typed === '') return []
    if (schemaKind(schema) !== 'list') return [[name, parseParameter(schema, typed)]]
    const items = isKey ? [typed] : typed.split(',').map((item) => item.trim())
    return [[name, items.map((item) => parseParameter(schema.items ?? {}, item))]]
  }
  return Object.fromEntries(Object.entries(params?.properties ?? {}).flatMap(read))
}
