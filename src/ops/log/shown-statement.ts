const maxLength = 2000

/**
 * A statement for the log, without values (SEC-50). Values are parameters, except in `copy`, which takes none, and in
 * statements that a plugin or a view writes out.
 */
export function displayStatement(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (/^copy \(/i.test(line)) return 'copy (…) to stdout'
  const bare = line.replace(/\$(\w*)\$.*?\$\1\$/g, '$$…$$').replace(/'(?:[^']|'')*('|$)/g, "'…'")
  return bare.length > maxLength ? `${bare.slice(0, maxLength)}…` : bare
}

/** Errors of the database or the statement itself, in which quoted texts are names. */
const aboutNames = /^(08|0A|25|26|2B|3D|3F|40|42|53|54|55|57|58|F0|XX)/

/**
 * PostgreSQL's message without possible values: texts that it quotes, and the messages of the database's own functions
 * and triggers.
 */
export function displayMessage(state: string, message: string): string {
  if (message.includes('\n')) return '…'
  if (aboutNames.test(state) && state !== '42601') return message
  return /^(22|23|42|44)/.test(state) ? message.replace(/".*"/g, '"…"') : '…'
}
