import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { requireRestorable } from '../../backup/archive/manifest'
import type { ReadBackup } from '../../backup/archive/reader'
import type { Bytes } from '../../backup/archive/seal'
import { isBucketAddress, objectSize, openBucket, readFromBucket } from '../../backup/bucket'
import { megabytes } from '../../backup/disk-space'
import { BackupError, DamagedBackup, explainSystemError } from '../../backup/errors'
import { inspectBackup } from '../../backup/restore/inspect'
import { restoreBackup } from '../../backup/restore/restore'
import type { Config } from '../../ops/config'
import { type Command, type CommandContext, CommandError } from '../command'
import { runAsServiceUser } from '../service-user'
import { backupCommandSettings, describeContents, exitDamaged, readPassphrase, rejectOwnDatabase } from './backup'
import { withInterruption } from './interruption'
import { createProgress, type Progress } from './progress'

export const restoreCommand: Command = {
  name: 'restore',
  arguments: 'FILE',
  summary: 'Put a backup into an empty data directory.',
  description: [
    'Reads and checks every byte of FILE, then puts it into the data directory, which has to be empty or missing, and lets PostgreSQL recover.',
    'What fails leaves nothing. Exits with 0 when it succeeded, 1 when it failed, 2 when it was called wrongly, and 3 when the backup is damaged.',
  ].join(' '),
  settings: backupCommandSettings,
  switches: { 'dry-run': 'Say what is in FILE and whether it is whole; write nothing.', quiet: 'Print nothing unless it fails.' },
  run: async (context) => {
    const [file] = context.positionals
    if (!file) throw new CommandError('Usage: rowhouse restore FILE')
    if (!context.switches.has('dry-run')) rejectOwnDatabase(context.config)
    const passphrase = readPassphrase(context.config)
    // Before root is given up: the file may be root's alone.
    const source = isBucketAddress(file) ? await openBucketSource(file, context.config) : openSource(file)
    const progress = createProgress(context.switches.has('quiet'))
    try {
      return await withInterruption((signal) => restore(context, { source, passphrase, progress, signal }))
    } catch (error) {
      const explained = explainSystemError(error, context.config.dataDir)
      if (!(explained instanceof DamagedBackup)) throw explained
      progress.end()
      console.error(`rowhouse: ${explained.message}`)
      return exitDamaged
    } finally {
      progress.end()
      source.close()
    }
  },
}

type Source = { size: number; read: (onBytes: (count: number) => void) => Bytes; close: () => void }

/** @throws BackupError where there is no such object */
async function openBucketSource(address: string, config: Config): Promise<Source> {
  const object = openBucket(address, config)
  const size = await objectSize(object)
  if (size === null) throw new BackupError(`There is no backup at ${address}.`)
  return {
    size,
    read: async function* (onBytes) {
      for await (const chunk of readFromBucket(object)) {
        onBytes(chunk.byteLength)
        yield chunk
      }
    },
    close: () => {},
  }
}

const chunkBytes = 2 ** 18

function openSource(file: string): Source {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    throw explainSystemError(error, file, 'read')
  }
  const found = fstatSync(descriptor)
  if (!found.isFile()) {
    closeSync(descriptor)
    throw new BackupError(`${file} is not a file. Name the backup itself.`)
  }
  const readAt = (buffer: Buffer, position: number) => {
    try {
      return readSync(descriptor, buffer, 0, chunkBytes, position)
    } catch (error) {
      throw explainSystemError(error, file)
    }
  }
  return {
    size: found.size,
    read: async function* (onBytes) {
      for (let position = 0; ; ) {
        const buffer = Buffer.alloc(chunkBytes)
        const count = readAt(buffer, position)
        if (count === 0) return
        position += count
        onBytes(count)
        yield buffer.subarray(0, count)
      }
    },
    close: () => closeSync(descriptor),
  }
}

type RestoreTask = { source: Source; passphrase: string | undefined; progress: Progress; signal: AbortSignal }

async function restore({ config: given, environment, switches }: CommandContext, task: RestoreTask): Promise<number> {
  const { source, passphrase, progress, signal } = task
  progress.begin('Checking', source.size)
  if (switches.has('dry-run')) {
    const read = await inspectBackup(source.read(progress.add), passphrase, signal)
    progress.end()
    if (!switches.has('quiet')) console.log(describe(read))
    requireRestorable(read.manifest)
    return 0
  }
  const config: Config = runAsServiceUser(given, { data: 'made', environment })
  const onChecked = ({ bytes }: ReadBackup) => {
    progress.say(`It is whole. ${megabytes(bytes)} go into ${config.dataDir}.`)
    progress.begin('Restoring', source.size)
  }
  let read: ReadBackup | undefined
  const { dataDir } = await restoreBackup({
    open: () => source.read(progress.add),
    passphrase,
    config,
    signal,
    onChecked: (checked) => {
      read = checked
      onChecked(checked)
    },
  })
  progress.end()
  if (switches.has('quiet') || !read) return 0
  console.log(`Restored into ${dataDir}: ${describeContents(read.contents)}.`)
  console.log(`The backup is of ${read.manifest.createdAt}; what was changed since then is not in it.`)
  if (read.manifest.attachments === 'bucket')
    console.log('Attachments were in a bucket and are not in the backup: set S3_BUCKET as before.')
  console.log(`Start it with: rowhouse serve --data-dir=${dataDir}`)
  return 0
}

function describe({ manifest, contents, entries, bytes }: ReadBackup): string {
  return [
    `Made ${manifest.createdAt} by Rowhouse ${manifest.rowhouse} with PostgreSQL ${manifest.postgres} on ${manifest.platform}.`,
    `${describeContents(contents)}; ${entries} files, ${megabytes(bytes)} unpacked.`,
    ...(manifest.attachments === 'bucket' ? ['Attachments were in a bucket and are not in it.'] : []),
    'It is whole: every byte is the one that was written.',
  ].join('\n')
}
