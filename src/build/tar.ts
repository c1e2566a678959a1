import { pack } from 'tar-stream'

export type TarFile = { name: string; bytes: Uint8Array; mode?: number }

/**
 * A tar that depends only on the names and contents of its files: sorted, without owners, and all with the same time.
 * Bun.Archive would write the current time.
 */
export async function packTar(files: TarFile[], mtime = new Date(0)): Promise<Uint8Array> {
  const tar = pack()
  for (const { name, bytes, mode = 0o644 } of files.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
    tar.entry({ name, mode, mtime, uid: 0, gid: 0 }, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  tar.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of tar) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
