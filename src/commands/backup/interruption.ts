import { CommandError } from '../command'

/** Work that tidies up when somebody interrupts it. The second time the process just ends. */
export async function withInterruption<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = () => {
    for (const signal of signals) process.off(signal, end)
    controller.abort(new CommandError('Interrupted; nothing was left behind.'))
  }
  for (const signal of signals) process.on(signal, end)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}
