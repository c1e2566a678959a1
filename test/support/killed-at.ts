import { join } from 'node:path'

/**
 * Runs a script of `killed/`, which works like a command and kills its own process, like `kill -9`, at the beginning of
 * a step. From outside, a step may be over before its name has been read.
 */
export async function killedAt(step: string, script: string, task: Record<string, string>): Promise<void> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'killed', `${script}.ts`), step, JSON.stringify(task)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const errors = await new Response(child.stderr).text()
  await child.exited
  if (child.signalCode !== 'SIGKILL') throw new Error(`It did not come to "${step}":\n${errors}`)
}

/** For the script: its arguments, and a progress that kills its process. */
export function killedTask<Task extends Record<string, string>>() {
  const [at = '', task = '{}'] = process.argv.slice(2)
  const begin = (step: string) => void (step.startsWith(at) && process.kill(process.pid, 'SIGKILL'))
  return { task: JSON.parse(task) as Task, progress: { begin, add: () => {}, say: () => {} } }
}
