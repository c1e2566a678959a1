import { Writer } from './cell-mutations'

const writers = new Map<string, Writer>()

/** Who writes into a table. What could not be sent yet outlives the page that it was typed on. */
export function writerFor(tableId: string): Writer {
  const kept = writers.get(tableId)
  if (kept?.isBusy) return kept
  const made = new Writer(tableId)
  writers.set(tableId, made)
  return made
}
