import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { freemem, homedir } from 'node:os'
import { join } from 'node:path'

export const isRoot = process.getuid?.() === 0

/**
 * Where tests write. Not in /tmp: plugins are not run below a folder in which everybody may put theirs. The home of
 * root is closed to others.
 */
export const scratchDir = (): string => process.env.TEST_SCRATCH ?? (isRoot ? '/var/cache' : homedir())

/** Data directories take 125 MB each; a run with three lanes had 6.5 GB of them at a time. */
const scratchGb = 10
const neededGb = scratchGb + 3

/** Free memory, or the limit of the container if that is less. */
export const usableGb = (): number => Math.min(freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 30

export const isScratchInMemory = (): boolean => process.env.TEST_SCRATCH_IN_MEMORY === '1'

/**
 * Runs `command` with TEST_SCRATCH and TMPDIR in memory: a data directory is made in a third of the time that it takes
 * on a disk, where each waits for the bytes of all. The mount is in a namespace of the command's own, so it ends with
 * it, however that ends.
 * @returns the exit code; null without the rights or the memory for that
 */
export async function runInMemory(command: string[]): Promise<number | null> {
  if (process.env.TEST_SCRATCH !== undefined || !isRoot || process.platform !== 'linux' || usableGb() < neededGb) return null
  const folder = mkdtempSync(join(scratchDir(), 'rowhouse-tests-'))
  const mounted = (then: string) => ['--mount', 'sh', '-c', `mount -t tmpfs -o mode=755,size=${scratchGb}g tmpfs "$0" && ${then}`, folder]
  try {
    if (spawnSync('unshare', mounted('true')).status !== 0) return null
    const words = [...mounted('mkdir -m 1777 "$0/tmp" && TEST_SCRATCH="$0" TEST_SCRATCH_IN_MEMORY=1 TMPDIR="$0/tmp" exec "$@"'), ...command]
    return await pass(Bun.spawn(['unshare', ...words], { stdio: ['ignore', 'inherit', 'inherit'] }))
  } finally {
    rmdirSync(folder)
  }
}

/** Waits for its end, which it brings about itself: Ctrl-C reaches it without us. */
async function pass(child: Bun.Subprocess): Promise<number> {
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return await child.exited
}
