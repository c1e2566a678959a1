/** What a template asks for: JSON Schema of one parameter, as far as a form needs it. */
export type Parameter = { type?: string; title?: string; description?: string; default?: unknown }

type Asked = { params: { properties?: Record<string, Parameter>; required?: string[] } | null }

const keyNames = ['pk', 'id', 'key', 'record']

/** What a document may be about: the record by its key, in its table. `title` is the column by which people know it. */
export type About = { table: string; key: string; keyColumn: string; title: string }

/**
 * What the parameters probably are, for a document about one record: the table by its name, and the key where a parameter is named like one or like
 * the table ("order" of "orders"), or is the only one that has to be said.
 */
export function guessParameters({ params }: Asked, { table, key, keyColumn, title }: About): Record<string, string> {
  const required = params?.required ?? []
  const known: Record<string, string> = { table, filter: `${keyColumn}=eq.${key}`, columns: title }
  const isKey = (name: string) =>
    keyNames.includes(name) ||
    (name.length > 2 && table.toLowerCase().startsWith(name.toLowerCase())) ||
    (required.length === 1 && required[0] === name)
  const guess = (name: string) => known[name] ?? (isKey(name) ? key : undefined)
  return Object.fromEntries(
    Object.keys(params?.properties ?? {}).flatMap((name) => {
      const value = guess(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** What was typed, as the schema has it. What is empty is left away; what does not fit is for the service to say. */
export function readParameters({ params }: Asked, values: Readonly<Record<string, string>>): Record<string, unknown> {
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
