import { Encrypter } from 'age-encryption'
import { pack } from 'tar-stream'
import { newManifest } from '../../src/backup/archive/manifest'
import { appendSeal, type Bytes } from '../../src/backup/archive/seal'
import { createArchive } from '../../src/backup/archive/writer'
import { inspectBackup } from '../../src/backup/restore/inspect'

const contents = { tables: 1, records: 2, users: 1, attachments: 0, databaseBytes: 3, fileBytes: 0 }
const facts = { createdAt: '2026-01-01T00:00:00Z', migration: null, attachments: 'disk' } as const

export const manifestText = (difference: object = {}): string => JSON.stringify({ ...newManifest(facts), ...difference })
export const contentsText = JSON.stringify(contents)

/** A backup like those of the executable, with a miniature cluster. */
export async function smallBackup(random: () => number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const archive = createArchive(async (chunk) => void chunks.push(chunk.slice()), {
    passphrase: undefined,
    signal: new AbortController().signal,
    onBytes: () => {},
  })
  await archive.addText('rowhouse-backup.json', manifestText())
  await archive.addText('postgres/PG_VERSION', '18\n')
  await archive.addText('postgres/backup_label', 'START WAL LOCATION')
  await archive.addFolder('postgres/pg_notify')
  for (let number = 0; number < 40; number++) {
    const page = new Uint8Array(8192)
    for (let at = 0; at < page.length; at++) page[at] = random() < 0.7 ? 0 : random() * 256
    await archive.add(`postgres/base/5/${number}`, page.length, [page])
  }
  await archive.addText('postgres/global/pg_control', 'control')
  await archive.addText('rowhouse-backup.contents.json', contentsText)
  await archive.finish()
  return Buffer.concat(chunks)
}

/** Like `rowhouse backup`, except for the cost of the passphrase, which does not matter here. */
export async function encrypted(bytes: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(1)
  return encrypter.encrypt(bytes)
}

/** In chunks, the way a file is read. */
export async function* piecesOf(bytes: Uint8Array, length = 65_536): Bytes & AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** @returns its problem, or null */
export async function faultOf(bytes: Uint8Array, passphrase?: string): Promise<string | null> {
  try {
    await inspectBackup(piecesOf(bytes), passphrase, new AbortController().signal)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

export type ForgedEntry = Parameters<ReturnType<typeof pack>['entry']>[0] & { text?: string }

/** A forged archive with valid hashes and a valid seal. `rest` are bytes after the last entry. */
export async function forgedBackup(entries: ForgedEntry[], said: string = manifestText(), rest?: Uint8Array): Promise<Uint8Array> {
  const tar = pack()
  const all: ForgedEntry[] = [
    { name: 'rowhouse-backup.json', text: said },
    ...entries,
    { name: 'rowhouse-backup.contents.json', text: contentsText },
  ]
  const hashes = all
    .filter(({ type }) => type !== 'directory')
    .map(({ name, text = '' }) =>
      JSON.stringify({ name, size: text.length, sha256: new Bun.CryptoHasher('sha256').update(text).digest('hex') }),
    )
  for (const { text = '', ...header } of [...all, { name: 'rowhouse-backup.hashes.1', text: `${hashes.join('\n')}\n` }])
    tar.entry(header, text)
  tar.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of tar) chunks.push(chunk as Uint8Array)
  const whole = Buffer.concat(chunks)
  // Without its end, which is 1024 zeros.
  return sealOf(Bun.zstdCompressSync(rest ? Buffer.concat([whole.subarray(0, -1024), rest]) : whole))
}

export async function sealOf(compressed: Uint8Array): Promise<Uint8Array> {
  const sealed: Uint8Array[] = []
  for await (const chunk of appendSeal(piecesOf(compressed))) sealed.push(chunk)
  return Buffer.concat(sealed)
}
