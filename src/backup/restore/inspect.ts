import type { BackupManifest } from '../archive/manifest'
import { clusterFolder } from '../archive/names'
import { type ReadBackup, readBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { drain, requireOwnName } from '../copy/unpack'
import { damagedBackup } from '../errors'

/** Reads every byte and writes nothing. @throws BackupError, DamagedBackup, the signal's reason */
export async function inspectBackup(
  source: Bytes,
  passphrase: string | undefined,
  signal: AbortSignal,
  begin: (manifest: BackupManifest) => void = () => {},
): Promise<ReadBackup> {
  let hasCluster = false
  const read = await readBackup(source, {
    passphrase,
    signal,
    begin,
    take: async (received) => {
      requireOwnName(received.name)
      if (received.name === `${clusterFolder}/PG_VERSION`) hasCluster = true
      await drain(received)
    },
  })
  if (!hasCluster) throw damagedBackup('there is no database in it')
  return read
}
