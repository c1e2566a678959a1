/** What a template asks for: JSON Schema of one parameter, as far as a form needs it. */
export type Parameter = { type?: string; title?: string; description?: string; default?: unknown }

type Asked = { params: { properties?: Record<string, Parameter>; required?: string[] } | null }

const keyNames = ['pk', 'id', 'key', 'record']

/**
 * What the parameters probably are, for a document about one record: the table by its name, and the key where a parameter is named like one or like
 * the table ("order" of "orders"), or is the only one that has to be said.
 */
export function guessParameters({ params }: Asked, table: string, key: string): Record<string, string> {
  const names = Object.keys(params?.properties ?? {})
  const isKey = (name: string) =>
    keyNames.includes(name) ||
    (name.length > 2 && table.toLowerCase().startsWith(name.toLowerCase())) ||
    (params?.required?.length === 1 && params.required[0] === name)
  const guess = (name: string) => (name === 'table' ? table : isKey(name) ? decodeURIComponent(key) : undefined)
  return Object.fromEntries(names.flatMap((name) => (guess(name) === undefined ? [] : [[name, guess(name)!]])))
}

/** What was typed, as the schema has it. What is empty is left away; what does not fit is for the service to say. */
export function readParameters({ params }: Asked, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const read = ([name, { type }]: [string, Parameter]): [string, unknown][] => {
    const typed = values[name] ?? ''
    if (type === 'boolean') return [[name, typed === 'true']]
    if (typed === '') return []
    const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(Number(typed))
    return [[name, isNumber ? Number(typed) : typed]]
  }
  return Object.fromEntries(Object.entries(params?.properties ?? {}).flatMap(read))
}
