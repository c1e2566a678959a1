/** The JSON Schema of one parameter, as far as the form needs it. */
type Parameter = { type?: string; title?: string; description?: string; default?: unknown }

type ParameterSchema = { params: { properties?: Record<string, Parameter>; required?: string[] } | null }

const keyNames = ['pk', 'id', 'key', 'record']

/** The record of a document. `title` is the column that labels the record. */
export type DocumentSubject = { table: string; key: string; keyColumn: string; title: string }

/**
 * Guesses the parameters of a document about one record: the table by its name; the key where a parameter has a typical
 * name, is named like the table ("order" of "orders"), or is the only required one.
 */
export function guessParameters({ params }: ParameterSchema, { table, key, keyColumn, title }: DocumentSubject): Record<string, string> {
  const required = params?.required ?? []
  const fixed: Record<string, string> = { table, filter: `${keyColumn}=eq.${key}`, columns: title }
  const isKey = (name: string) =>
    keyNames.includes(name) ||
    (name.length > 2 && table.toLowerCase().startsWith(name.toLowerCase())) ||
    (required.length === 1 && required[0] === name)
  const guess = (name: string) => fixed[name] ?? (isKey(name) ? key : undefined)
  return Object.fromEntries(
    Object.keys(params?.properties ?? {}).flatMap((name) => {
      const value = guess(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The input as values of the schema. Empty values are omitted; the service reports invalid ones. */
export function parseParameters({ params }: ParameterSchema, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const read = ([name, { type }]: [string, Parameter]): [string, unknown][] => {
    const typed = values[name] ?? ''
    if (type === 'boolean') return [[name, typed === 'true']]
    if (typed === '') return []
    if (type === 'array') return [[name, typed.split(',').map((item) => item.trim())]]
    const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(Number(typed))
    return [[name, isNumber ? Number(typed) : typed]]
  }
  return Object.fromEntries(Object.entries(params?.properties ?? {}).flatMap(read))
}
