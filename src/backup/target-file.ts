import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { BackupError } from './problem'

/** A file that has its name only when it is whole, on disk and tried out. */
export type TargetFile = {
  /** Where it is until then. */
  unfinished: string
  sink: Writable
  /** @returns its name */
  keep: () => string
  /** Under a name that says that it was not good enough. @returns that name */
  keepUnproven: () => string
  remove: () => void
}

/** @throws BackupError where there is one of that name already; whatever the operating system says to a new one */
export function createTargetFile(path: string): TargetFile {
  const file = resolve(path)
  const unfinished = `${file}.part`
  refuseExisting(file)
  if (existsSync(unfinished)) {
    throw new BackupError(
      `${unfinished} is there: another backup is being written to it, or was killed. If it was, remove it and try again.`,
    )
  }
  const descriptor = openSync(unfinished, 'wx', 0o600)
  const moveTo = (name: string) => {
    sync(unfinished)
    renameSync(unfinished, name)
    sync(dirname(name))
    return name
  }
  return {
    unfinished,
    sink: createWriteStream(unfinished, { fd: descriptor }),
    keep: () => {
      refuseExisting(file)
      return moveTo(file)
    },
    keepUnproven: () => moveTo(`${file}.unproven`),
    remove: () => rmSync(unfinished, { force: true }),
  }
}

function refuseExisting(file: string) {
  if (existsSync(file))
    throw new BackupError(`${file} is there already; a backup is never written over another file. Give it another name.`)
}

function sync(path: string) {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
