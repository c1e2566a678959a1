import crypto from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { markerName } from '../../src/attachments/storage/storage'

// s3rver writes the continuation of a long list with DES, which Bun does not have, and which is not needed here.
const { createCipheriv } = crypto
crypto.createCipheriv = ((name: string, ...rest: [Buffer, Buffer]) =>
  name === 'des'
    ? createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16))
    : createCipheriv(name, ...rest)) as typeof createCipheriv

/**
 * S3 lists in the order of keys. s3rver lists in the order of the directory, which only Node sorts, and so omits keys
 * of a long list.
 */
function sortLists({ store }: S3rver) {
  const listAll = store.listObjects.bind(store)
  store.listObjects = async (bucket, { maxKeys = Number.POSITIVE_INFINITY, startAfter = '', ...rest }) => {
    const found = await listAll(bucket, rest)
    const objects = found.objects.filter(({ key }) => key > startAfter).sort((one, other) => (one.key < other.key ? -1 : 1))
    return { ...found, objects: objects.slice(0, maxKeys), isTruncated: objects.length > maxKeys }
  }
}

/** s3rver, a separate program that implements S3, on a free port with an empty folder. */
export type S3 = AsyncDisposable & {
  environment: Record<string, string>
  /** The files, without the one that identifies the database. */
  keys: () => Promise<string[]>
  stop: () => Promise<void>
  start: () => Promise<void>
  /** Is unavailable until the first request, and then available again. */
  missOnce: () => Promise<void>
}

export async function startS3(): Promise<S3> {
  const directory = mkdtempSync(join(tmpdir(), 'rowhouse-s3-'))
  const make = (port: number) => {
    const made = new S3rver({ port, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'files', configs: [] }] })
    sortLists(made)
    return made
  }
  let server = make(0)
  const { port } = await server.run()
  const environment = {
    S3_BUCKET: 'files',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
    S3_PREFIX: 'team/one/',
  }
  const client = new Bun.S3Client({ bucket: 'files', endpoint: environment.S3_ENDPOINT, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })
  const stop = async () => {
    const closed = server.close()
    server.httpServer.closeAllConnections()
    await closed
  }
  const start = async () => {
    server = make(port)
    await server.run()
  }
  return {
    environment,
    keys: async () => {
      const keys: string[] = []
      for (let startAfter: string | undefined; ; ) {
        const page = await client.list({ startAfter })
        keys.push(...(page.contents ?? []).map(({ key }) => key))
        startAfter = keys.at(-1)
        if (!page.isTruncated) return keys.filter((key) => !key.endsWith(markerName)).sort()
      }
    },
    stop,
    start,
    missOnce: async () => {
      await stop()
      const asked = Promise.withResolvers<void>()
      const closing = createServer((socket) => {
        socket.destroy()
        asked.resolve()
      }).listen(port, '127.0.0.1')
      await asked.promise
      await new Promise((done) => closing.close(done))
      await start()
    },
    [Symbol.asyncDispose]: async () => {
      await stop().catch(() => {})
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
