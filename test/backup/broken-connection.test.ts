import { afterAll, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { openBucket, readFromBucket } from '../../src/backup/bucket'
import { BackupError, DamagedBackup, UnreadableStore } from '../../src/backup/errors'
import { openStore, readStored } from '../../src/backup/store'
import type { Config } from '../../src/ops/settings/config'
import { rejection } from '../support/rejection'

/** Answers every request with the beginning of a body, and closes the connection. */
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\netag: "a"\r\n\r\nbeginning'))
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
afterAll(() => server.close())
const { port } = server.address() as { port: number }
const config = {
  s3Endpoint: `http://127.0.0.1:${port}`,
  s3Region: 'eu-central-1',
  s3AccessKeyId: 'id',
  s3SecretAccessKey: 'secret',
  s3VirtualHosted: false,
} as Config

const all = (bytes: AsyncIterable<Uint8Array>) => Array.fromAsync(bytes)

test('a body of S3 that breaks off makes a store unreadable, and nothing damaged', async () => {
  const store = openStore('s3://bucket/backups/', config)
  const stored = (await rejection(all(readStored(store, 'a')))) as Error
  expect(stored).toBeInstanceOf(UnreadableStore)
  expect(stored.message).toStartWith('S3 reading failed: ')
  const whole = await rejection(all(readFromBucket(openBucket('s3://bucket/backups/a', config))))
  expect([whole instanceof BackupError, whole instanceof DamagedBackup]).toEqual([true, false])
})
