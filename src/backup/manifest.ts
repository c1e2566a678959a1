import { postgresMajor } from '../db/embedded/runtime'
import { knowsMigration } from '../db/migrate'
import { version } from '../ops/version'
import { BackupError } from './problem'

/** The first entry of the archive, and the last. Neither is a name in a data directory. */
export const manifestName = 'rowhouse-backup.json'
export const listName = 'rowhouse-backup.list'

const format = 1

/** What has to be known before anything is unpacked. */
export type Manifest = {
  format: number
  /** The version of Rowhouse that made it. */
  rowhouse: string
  postgres: number
  /** Operating system and processor; PostgreSQL's files are not the same everywhere. */
  platform: string
  createdAt: string
  /** The last migration that was applied; null where there was none yet. */
  migration: string | null
  /** Where attachments were: on the disk (then they are in the archive) or in a bucket. */
  attachments: 'disk' | 'bucket'
}

const here = `${process.platform}-${process.arch}`

export const newManifest = (facts: Pick<Manifest, 'createdAt' | 'migration' | 'attachments'>): Manifest => ({
  format,
  rowhouse: version,
  postgres: postgresMajor,
  platform: here,
  ...facts,
})

/** @throws BackupError where it is none, or one that cannot be put back here */
export function readManifest(text: string): Manifest {
  const manifest = parse(text)
  if (typeof manifest?.format !== 'number') throw notOurs()
  const { rowhouse, postgres, platform, migration } = manifest
  const made = `This backup was made by Rowhouse ${rowhouse}`
  if (manifest.format !== format)
    throw new BackupError(`${made} in a form that this one (${version}) does not know. Use the newer release.`)
  if (postgres !== postgresMajor) {
    throw new BackupError(
      `${made} with PostgreSQL ${postgres}, and this one holds PostgreSQL ${postgresMajor}. Use the release that made it.`,
    )
  }
  if (platform !== here) {
    throw new BackupError(
      `${made} on ${platform}, and this is ${here}: PostgreSQL's files cannot move between them. Restore it on ${platform}, and bring the data here with pg_dump.`,
    )
  }
  if (migration !== null && !knowsMigration(migration)) {
    throw new BackupError(`${made}, which is newer than this one (${version}): it has the migration "${migration}". Use the newer release.`)
  }
  return manifest
}

function parse(text: string): Manifest | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const notOurs = () => new BackupError('This is no backup of Rowhouse.')
