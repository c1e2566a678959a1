/** PostgreSQL's array literal (its manual, 8.15.2); within quotes only the quote and the backslash mean something. */
export const arrayLiteral = (texts: readonly (string | null)[]): string =>
  `{${texts.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`

/**
 * An array that is a parameter, of whose length PostgreSQL's planner knows nothing. With a length that changes, and is
 * mostly short, it would plan the prepared statement anew each time, which takes longer than the statement itself
 * (PostgreSQL's manual, PREPARE).
 */
export const unmeasured = (parameter: string): string => `(select ${parameter})`
