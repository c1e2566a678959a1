import { readdirSync, readFileSync } from 'node:fs'

/** What the process and everything below it hold of memory, pages that they share counted once (PSS). */
export function memoryOf(pid: number): number {
  const parents = new Map(processes().map((id) => [id, parentOf(id)]))
  const isBelow = (id: number | undefined): boolean => id === pid || (id !== undefined && id > 1 && isBelow(parents.get(id)))
  return [...parents.keys()].filter(isBelow).reduce((sum, id) => sum + pssOf(id), 0)
}

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Processes come and go while the list is read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const parentOf = (pid: number) => Number(/\) \w (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0)

/** What one process holds of memory, as PSS. */
export const pssOf = (pid: number) => Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024
