/** PostgreSQL's quoted identifier: any name is only a name. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string constant that means the same whatever standard_conforming_strings says. */
export const literal = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? ` E${quoted}` : quoted
}

export const qualifiedName = ({ schema, name }: { schema: string; name: string }): string => `${identifier(schema)}.${identifier(name)}`
