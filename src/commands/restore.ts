import { createReadStream, ReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { explained } from '../backup/problem'
import { restoreBackup } from '../backup/restore'
import { shown } from '../backup/state'
import { createEvents } from '../ops/events'
import { backupSettings, refuseOwnDatabase } from './backup'
import { type Command, CommandError } from './command'
import { interruptible } from './interruption'
import { megabytes, telling } from './progress'

export const restore: Command = {
  name: 'restore',
  arguments: 'FILE',
  summary: 'Put a backup into an empty data directory.',
  description: [
    'Checks every byte of FILE, puts it into the data directory, which has to be empty or missing, lets PostgreSQL recover, and says what is there.',
    'What fails leaves nothing. With - it reads standard input.',
  ].join(' '),
  settings: backupSettings,
  run: ({ config, positionals: [file] }) => {
    if (!file) throw new CommandError('Usage: rowhouse restore FILE (or - for standard input)')
    refuseOwnDatabase(config)
    return interruptible(async (signal) => {
      const source = open(file)
      const size = megabytes(Bun.file(file).size)
      using _ = telling(() => (source instanceof ReadStream && file !== '-' ? `${megabytes(source.bytesRead)} of ${size} read` : 'Reading'))
      try {
        const { dataDir, manifest, state } = await restoreBackup(source, config, createEvents(), signal)
        console.log(`Restored into ${dataDir}: ${shown(state)}.`)
        console.log(
          `The backup is of ${manifest.createdAt}, made by Rowhouse ${manifest.rowhouse}; what was changed since then is not in it.`,
        )
        if (manifest.attachments === 'bucket')
          console.log('Attachments were in a bucket and are not in the backup: set S3_BUCKET as before.')
        console.log(`Start it with: rowhouse serve --data-dir=${dataDir}`)
        return 0
      } catch (error) {
        throw explained(error, config.dataDir)
      }
    })
  },
}

const open = (file: string): Readable => (file === '-' ? process.stdin : createReadStream(file))
