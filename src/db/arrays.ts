/** PostgreSQL's array literal (its manual, 8.15.2). Inside quotes, only the quote and the backslash are special. */
export const arrayLiteral = (texts: readonly (string | null)[]): string =>
  `{${texts.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`

/**
 * An array parameter whose length is hidden from PostgreSQL's planner. If it saw short arrays of varying length, it
 * would plan the prepared statement again on each call, which takes longer than the statement itself (PostgreSQL's
 * manual, PREPARE).
 */
export const unmeasured = (parameter: string): string => `(select ${parameter})`
