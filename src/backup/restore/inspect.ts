import type { BackupManifest } from '../archive/manifest'
import { clusterFolder } from '../archive/names'
import { type ReadBackup, readBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { drain, requireOwnName } from '../copy/unpack'
import { damagedBackup } from '../errors'
import { createOrder, isOfDatabase } from '../logical/load'

const segmentPath = new RegExp(`^${clusterFolder}/pg_wal/([0-9A-F]{24})$`)

/** `lastSegment` is the last segment of the log in the backup; null if it contains none. */
export type InspectedBackup = ReadBackup & { lastSegment: string | null }

/** Reads every byte, and writes nothing. @throws BackupError, DamagedBackup, the signal's reason */
export async function inspectBackup(
  source: Bytes,
  passphrase: string | undefined,
  signal: AbortSignal,
  begin: (manifest: BackupManifest) => void = () => {},
): Promise<InspectedBackup> {
  let hasCluster = false
  const order = createOrder()
  let lastSegment: string | null = null
  const read = await readBackup(source, {
    passphrase,
    signal,
    begin,
    take: async (received) => {
      requireOwnName(received.name)
      if (received.name === `${clusterFolder}/PG_VERSION`) hasCluster = true
      if (isOfDatabase(received.name)) order.follow(received.name)
      const [, segment = null] = segmentPath.exec(received.name) ?? []
      if (segment !== null && (lastSegment === null || segment > lastSegment)) lastSegment = segment
      await drain(received)
    },
  })
  if (read.manifest.logical) order.finish()
  if (hasCluster === (read.manifest.logical !== undefined)) throw damagedBackup('there is no database in it')
  return { ...read, lastSegment }
}
