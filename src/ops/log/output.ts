import type { Writable } from 'node:stream'

/** Where the log goes. */
export type TextOutput = {
  write: (text: string) => void
  /** Waits until everything has been accepted, at most `limitMs`. */
  drained: (limitMs: number) => Promise<void>
}

/** How far a reader may lag. Beyond that, lines are dropped: an unread log must never slow the service down. */
const maxPendingLength = 2 ** 20

/**
 * Bun writes at once what the receiver accepts at once, so the last line before a crash is also written; only the rest
 * waits, outside of the event loop. @param complain called once when lines are being lost, with the reason
 */
export function createOutput(stream: Writable, complain: (problem: string) => void): TextOutput {
  let pending = 0
  let hasComplained = false
  const lose = (reason: string) => {
    if (hasComplained) return
    hasComplained = true
    complain(`The log cannot be written (${reason}); the service goes on without it.`)
  }
  stream.on('error', (error: NodeJS.ErrnoException) => lose(error.code ?? error.message))
  const write = (text: string) => {
    if (pending > maxPendingLength) return lose('nobody reads it')
    pending += text.length
    stream.write(text, () => {
      pending -= text.length
    })
  }
  const drained = async (limitMs: number) => {
    for (const endsAt = performance.now() + limitMs; pending > 0 && performance.now() < endsAt; ) await Bun.sleep(5)
  }
  return { write, drained }
}

/** Standard output; lost lines are reported on standard error. */
export function standardOutput(): TextOutput {
  // Not console.error: it would wait for a reader, which may be the same one.
  process.stderr.on('error', () => {})
  return createOutput(process.stdout, (problem) => void process.stderr.write(`rowhouse: ${problem}\n`))
}
