import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { decrypt, encrypt } from '../archive/encryption'
import type { Bytes } from '../archive/seal'
import { DamagedBackup } from '../errors'
import type { ArchivedSegment } from './segment'

/** A file in the folder of an archive: its identity, encrypted with the backups' passphrase. */
export const keyName = 'identity.age'

/** The secret key of a new archive (X25519, https://age-encryption.org/v1). */
export const newIdentity = (): Promise<string> => generateX25519Identity()

/** Takes half a second because of scrypt. */
export const encryptIdentity = (identity: string, passphrase: string): Bytes => encrypt({ passphrase })(once(Buffer.from(`${identity}\n`)))

/** @throws BackupError for a wrong passphrase */
export const decryptIdentity = async (stored: Bytes, passphrase: string | undefined): Promise<string> =>
  (await gather(decrypt({ passphrase })(stored))).toString().trim()

/** Bytes for an archive, encrypted if it has an identity. */
export async function* sealBytes(source: Bytes, identity: string | null): AsyncGenerator<Uint8Array> {
  yield* identity === null ? source : encrypt({ recipient: await identityToRecipient(identity) })(source)
}

/** @throws DamagedBackup for altered bytes */
export async function* openBytes(source: Bytes, identity: string | null): AsyncGenerator<Uint8Array> {
  yield* identity === null ? source : decrypt({ identity })(source)
}

export const packSegment = async (segment: Uint8Array<ArrayBuffer>, identity: string | null): Promise<Bytes> =>
  sealBytes(once(await Bun.zstdCompress(segment)), identity)

/** @throws DamagedBackup unless the result is the original segment */
export async function unpackSegment(stored: Bytes, { segment, sha256 }: ArchivedSegment, identity: string | null): Promise<Buffer> {
  const packed = await gather(openBytes(stored, identity))
  const bytes = await Bun.zstdDecompress(packed).catch(() => null)
  if (bytes && sha256Of(bytes) === sha256) return bytes
  throw new DamagedBackup(`The archived segment ${segment} is damaged: its bytes are not those that were archived.`)
}

export const sha256Of = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function gather(source: Bytes): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}
