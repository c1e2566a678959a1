import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError, damagedBackup, WrongPassphrase } from '../errors'
import type { Bytes } from './seal'

/** The first line of a file in the age format (https://age-encryption.org/v1). */
const firstLine = Buffer.from('age-encryption.org/v1\n')

/** 2^17 with r = 8 takes 128 MB once; OWASP's floor for scrypt. */
const workFactor = 17

/** A backup is decrypted with the passphrase, or with the age identity of the recipient. */
type EncryptionKey = { passphrase: string } | { recipient: string }

/** A passphrase costs half a second and 128 MB for each file; an identity is fast. */
export type DecryptionKey = { passphrase: string | undefined } | { identity: string }

/** A pipeline step: `age -d` decrypts its output with the same key. */
export const encrypt = (key: EncryptionKey) =>
  async function* (source: Bytes): AsyncGenerator<Uint8Array> {
    const encrypter = new Encrypter()
    if ('recipient' in key) encrypter.addRecipient(key.recipient)
    else {
      encrypter.setPassphrase(key.passphrase)
      encrypter.setScryptWorkFactor(workFactor)
    }
    yield* (await encrypter.encrypt(toWebStream(source))) as unknown as Bytes
  }

/**
 * Passes on the bytes of a plain backup and decrypts those of an encrypted one.
 * @throws BackupError for a missing or wrong passphrase, DamagedBackup for altered bytes
 */
export const decrypt = (key: DecryptionKey) =>
  async function* (source: Bytes): AsyncGenerator<Uint8Array> {
    const chunks = source[Symbol.asyncIterator]()
    let beginning = Buffer.alloc(0)
    while (beginning.byteLength < firstLine.byteLength) {
      const next = await chunks.next()
      if (next.done) break
      beginning = Buffer.concat([beginning, next.value])
    }
    const rest: Bytes = { [Symbol.asyncIterator]: () => chunks }
    const whole = prepend(beginning, rest)
    if (!beginning.subarray(0, firstLine.byteLength).equals(firstLine)) {
      yield* whole
      return
    }
    if ('passphrase' in key && key.passphrase === undefined)
      throw new BackupError('This backup is encrypted. Name the file with its passphrase in --passphrase-file.')
    const decrypter = new Decrypter()
    if ('identity' in key) decrypter.addIdentity(key.identity)
    else decrypter.addPassphrase(key.passphrase!)
    const plain = await decrypter.decrypt(toWebStream(whole)).catch((error) => {
      if (isOfReader(error)) throw error
      if ('identity' in key) throw damagedBackup('it was not encrypted for the key of the archive, or its head was changed')
      throw new WrongPassphrase(
        'The passphrase is not that of this backup, or the first lines of the file were altered. Nothing was changed.',
      )
    })
    try {
      yield* plain as unknown as Bytes
    } catch (error) {
      throw isOfReader(error) ? error : damagedBackup('its bytes are not those that were encrypted')
    }
  }

async function* prepend(first: Uint8Array, rest: Bytes): AsyncGenerator<Uint8Array> {
  if (first.byteLength > 0) yield first
  yield* rest
}

/** Whether an error came from reading the file, or an interruption, and not from the cipher. */
const isOfReader = (error: unknown) =>
  error instanceof BackupError || (error as { code?: string; name?: string }).code !== undefined || (error as Error).name === 'AbortError'

function toWebStream(source: Bytes): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => void (await chunks.return?.()),
  })
}
