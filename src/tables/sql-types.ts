const aliases: Record<string, string> = {
  ...{ timestamptz: 'timestampwithtimezone', time: 'timewithouttimezone', float8: 'doubleprecision', bool: 'boolean' },
  ...{ int2: 'smallint', int4: 'integer', int8: 'bigint', varchar: 'charactervarying', decimal: 'numeric' },
}

/** Names of types that mean the same become the same text. */
function canonical(sqlType: string): string {
  const text = sqlType.toLowerCase().replaceAll(' ', '')
  return text.replace(/^[a-z0-9]+/, (word) => aliases[word] ?? word)
}

/**
 * Whether two spellings mean one type: `numeric(6, 2)` is `numeric(6,2)`, `timestamptz` is `timestamp with time zone`.
 */
export const isSameType = (one: string, other: string): boolean => canonical(one) === canonical(other)

/** Without a length these two mean a length of 1, to which PostgreSQL would cut what is compared. */
const unbounded: Record<string, string> = { character: 'bpchar', char: 'bpchar', bit: 'varbit' }

/** What a value to compare with such a column is cast to. @param comparedAs the column's type without a modifier */
export const comparedType = (comparedAs: string): string => unbounded[comparedAs] ?? comparedAs
