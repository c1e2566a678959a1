import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { freemem, homedir } from 'node:os'
import { join } from 'node:path'

export const isRoot = process.getuid?.() === 0

/**
 * The folder in which tests write. Not in /tmp, because plugins are not loaded below a folder to which everyone can
 * write. Root's home is not accessible to other users.
 */
export const scratchDir = (): string => process.env.TEST_SCRATCH ?? (isRoot ? '/var/cache' : homedir())

/** Data directories take 125 MB each; a run with three lanes had 6.5 GB of them at a time. */
const scratchGb = 10
const neededGb = scratchGb + 3

/** Free memory, or the limit of the container if that is less. */
export const usableGb = (): number => Math.min(freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 30

export const isScratchInMemory = (): boolean => process.env.TEST_SCRATCH_IN_MEMORY === '1'

/**
 * Runs `command` with TEST_SCRATCH and TMPDIR in memory: a data directory is created in a third of the time that it
 * takes on a disk, where each waits until the bytes of all are written. The mount is in a separate namespace of the
 * command, so it ends with the command in any case.
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

/** Only waits for its end: Ctrl-C reaches the command directly. */
async function pass(child: Bun.Subprocess): Promise<number> {
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return await child.exited
}
