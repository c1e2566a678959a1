/** A quoted identifier, which makes any text a plain name. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string constant whose meaning does not depend on standard_conforming_strings. */
export const literal = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? ` E${quoted}` : quoted
}

export const qualifiedName = ({ schema, name }: { schema: string; name: string }): string => `${identifier(schema)}.${identifier(name)}`
