import { postgresMajor } from '../../db/embedded/runtime'
import { isKnownMigration } from '../../db/migration/migrate'
import { version } from '../../ops/version'
import { BackupError, notABackup } from '../errors'

/** Releases without logical copies accept only the first one. */
const formats = { cluster: 1, logical: 2 } as const

/**
 * The logical copy of a team's database: statements and rows instead of PostgreSQL's files. `server` is its version;
 * `isRequired` marks extensions that the definitions need, and `roles` are the roles that policies name.
 */
export type LogicalDatabase = {
  schemas: string[]
  server: string
  extensions: { name: string; schema: string; isRequired: boolean }[]
  roles: string[]
}

/** The first entry: the information that is needed before anything is unpacked. */
export type BackupManifest = {
  format: number
  /** The version of Rowhouse that made it. */
  rowhouse: string
  postgres: number
  /** Operating system and processor; PostgreSQL's files differ between platforms. */
  platform: string
  /** ISO 8601, UTC. */
  createdAt: string
  /** The last migration that was applied; null if none was. */
  migration: string | null
  /** Where attachments were stored: on disk (then they are in the archive) or in a bucket. */
  attachments: 'disk' | 'bucket'
  /** The id of the archive of the log after the backup; null if there is none, and missing in older backups. */
  walArchive?: string | null
  /** Present for a team's database (DATABASE_URL), missing for the embedded cluster. */
  logical?: LogicalDatabase
  /** The tables at the start of the backup. Missing in older backups, and if there are too many tables. */
  tables?: TableOfBackup[] | undefined
}

/** `id` is null for a table that Rowhouse did not make. */
export type TableOfBackup = { schema: string; name: string; id: string | null }

/** One of the last entries: the contents. `records` counts those of served tables; sizes are in bytes. */
export type BackupContents = {
  tables: number
  records: number
  users: number
  attachments: number
  databaseBytes: number
  fileBytes: number
}

const here = `${process.platform}-${process.arch}`

export const newManifest = (
  facts: Pick<BackupManifest, 'createdAt' | 'migration' | 'attachments' | 'walArchive' | 'logical' | 'tables'>,
): BackupManifest => ({
  format: facts.logical ? formats.logical : formats.cluster,
  rowhouse: version,
  postgres: postgresMajor,
  platform: here,
  ...facts,
})

/** @throws BackupError if the text is not a manifest or has an unknown format */
export function readManifest(text: string): BackupManifest {
  const manifest = parseObject<BackupManifest>(text)
  if (typeof manifest?.format !== 'number') throw notABackup()
  if (manifest.format !== (manifest.logical ? formats.logical : formats.cluster))
    throw new BackupError(`${made(manifest)} in a format that this one (${version}) does not know. Use the newer release.`)
  return manifest
}

export const readContents = (text: string): BackupContents => {
  const contents = parseObject<BackupContents>(text)
  if (typeof contents?.tables !== 'number') throw notABackup()
  return contents
}

const made = ({ rowhouse }: BackupManifest) => `This backup was made by Rowhouse ${String(rowhouse).slice(0, 100)}`

/** @throws BackupError if this executable cannot restore the backup on this machine */
export function requireRestorable(manifest: BackupManifest): void {
  const { postgres, platform, migration, logical } = manifest
  if (postgres > postgresMajor || (postgres < postgresMajor && !logical)) {
    const way =
      postgres < postgresMajor
        ? 'Restore it with the release that made it, and bring it over by this one with rowhouse upgrade --postgres.'
        : 'Use the newer release.'
    throw new BackupError(`${made(manifest)} with PostgreSQL ${postgres}, and this one holds PostgreSQL ${postgresMajor}. ${way}`)
  }
  if (platform !== here && !logical) {
    throw new BackupError(
      `${made(manifest)} on ${platform}, and this is ${here}: PostgreSQL's files cannot move between them. Restore it on ${platform}, bring the database to a PostgreSQL of your own with rowhouse move, and back it up there: that copy works on every platform.`,
    )
  }
  if (migration !== null && !isKnownMigration(migration)) {
    throw new BackupError(
      `${made(manifest)}, which is newer than this one (${version}): it has the migration "${migration}". Use the newer release.`,
    )
  }
}

function parseObject<T>(text: string): T | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as T | null) : null
  } catch {
    return null
  }
}
