import { CommandError } from '../command'

/**
 * Runs work that cleans up when it is interrupted. A second interruption ends the process at once.
 * @param sentence printed at the first interruption
 */
export async function withInterruption<T>(
  work: (signal: AbortSignal) => Promise<T>,
  sentence = 'Interrupted; nothing was left behind.',
): Promise<T> {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = () => {
    for (const signal of signals) process.off(signal, end)
    controller.abort(new CommandError(sentence))
  }
  for (const signal of signals) process.on(signal, end)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}
