import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { executable, newFolder } from '../support/executable'

export type Watched = { seconds: number; steps: { step: string; seconds: number }[]; memory: number; stderr: string }

/**
 * Runs a command of the executable, which has to succeed. `steps` are the lines on which it reports the beginning of one
 * (they end in `…`); `memory` is the most it held, in bytes.
 */
export async function watch(dataDir: string, args: string[], environment: Record<string, string> = {}): Promise<Watched> {
  const startedAt = performance.now()
  const child = spawn(executable(), args, {
    env: { PATH: process.env.PATH, ROWHOUSE_DATA_DIR: dataDir, ...environment },
    cwd: newFolder(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const begun: { step: string; at: number }[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const line of text.split('\n')) if (line.endsWith('…')) begun.push({ step: line.slice(0, -1), at: performance.now() })
  })
  let memory = 0
  const timer = setInterval(() => {
    try {
      memory = Math.max(memory, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024)
    } catch {}
  }, 50)
  const code = await new Promise((done) => child.once('exit', done))
  clearInterval(timer)
  if (code !== 0) throw new Error(stderr)
  const end = performance.now()
  const steps = begun.map(({ step, at }, index) => ({ step, seconds: ((begun[index + 1]?.at ?? end) - at) / 1000 }))
  return { seconds: (end - startedAt) / 1000, steps, memory, stderr }
}
