const aliases: Record<string, string> = {
  ...{ timestamptz: 'timestampwithtimezone', time: 'timewithouttimezone', float8: 'doubleprecision', bool: 'boolean' },
  ...{ int2: 'smallint', int4: 'integer', int8: 'bigint', varchar: 'charactervarying', decimal: 'numeric' },
}

/** Maps synonymous type names to one text. */
export function canonicalType(sqlType: string): string {
  const text = sqlType.toLowerCase().replaceAll(' ', '')
  return text.replace(/^[a-z0-9]+/, (word) => aliases[word] ?? word)
}

/**
 * Whether two spellings mean one type: `numeric(6, 2)` is `numeric(6,2)`, `timestamptz` is `timestamp with time zone`.
 */
export const isSameType = (one: string, other: string): boolean => canonicalType(one) === canonicalType(other)

/** Without a length, these types have a length of 1, to which a cast would truncate the compared value. */
const unbounded: Record<string, string> = { character: 'bpchar', char: 'bpchar', bit: 'varbit' }

/**
 * The type to which a value is cast for a comparison with the column. @param comparedAs the column's type without a
 * modifier
 */
export const comparedType = (comparedAs: string): string => unbounded[comparedAs] ?? comparedAs

/**
 * SQL: a number as numeric. PostgreSQL's own cast keeps only six digits of a `real`, whereas its text has all of them.
 */
export const toNumeric = (value: string, sqlType: string | undefined): string =>
  sqlType === 'real' ? `cast(cast(${value} as text) as numeric)` : `cast(${value} as numeric)`

const momentTypes = /^(date|time|ts(tz)?(multi)?range)/

/**
 * Whether a constant of this type depends on the time. PostgreSQL reads it when it prepares a statement, and uses the
 * statement for days.
 */
export const isFrozenTime = (comparedAs: string, text: string): boolean =>
  momentTypes.test(comparedAs) && /(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])/i.test(text)
