import type { Writable } from 'node:stream'

/** Where the log goes. */
export type TextOutput = {
  write: (text: string) => void
  /** Waits until all of it has been taken, at most `limitMs`. */
  drained: (limitMs: number) => Promise<void>
}

/**
 * What a reader may be behind. Beyond it lines are left out: a log that is not read costs itself, never the service.
 */
const maxPendingLength = 2 ** 20

/**
 * Bun writes at once what the other side takes at once, so the last line before a crash is there too; only the rest
 * waits, outside of the event loop. @param complain is told once that lines are being lost, and why
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

/** Standard output, with what is lost told on standard error. */
export function standardOutput(): TextOutput {
  // Not console.error: it would wait for a reader that may be the same.
  process.stderr.on('error', () => {})
  return createOutput(process.stdout, (problem) => void process.stderr.write(`rowhouse: ${problem}\n`))
}
