/** An import that has just created a table, for the message on the page of that table. */
type FinishedImport = { tableId: string; text: string; requestId: string | null }

let finished: FinishedImport | null = null

export function announceImport(done: FinishedImport): void {
  finished = done
}

/** Each import is announced once. */
export function takeFinishedImport(tableId: string): FinishedImport | null {
  const found = finished?.tableId === tableId ? finished : null
  if (found) finished = null
  return found
}
