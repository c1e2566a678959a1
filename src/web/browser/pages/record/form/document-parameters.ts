import type { Schema, Template } from '../../../api/documents-query'

/** The input as values of the schema. Empty values are omitted; the service reports invalid ones. */
export function parseParameters({ params }: Pick<Template, 'params'>, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const read = ([name, { type }]: [string, Schema]): [string, unknown][] => {
    const typed = values[name] ?? ''
    if (type === 'boolean') return [[name, typed === 'true']]
    if (typed === '') return []
    if (type === 'array') return [[name, typed.split(',').map((item) => item.trim())]]
    const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(Number(typed))
    return [[name, isNumber ? Number(typed) : typed]]
  }
  return Object.fromEntries(Object.entries(params?.properties ?? {}).flatMap(read))
}
