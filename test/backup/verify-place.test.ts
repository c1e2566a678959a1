import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BackupError, UnreadableStore } from '../../src/backup/errors'
import { openStore, readStored } from '../../src/backup/store'
import { verifyPlace } from '../../src/commands/backup/verify'
import { readConfig } from '../../src/ops/settings/config'
import { forgedBackup, manifestText } from '../support/archives'
import { newFolder } from '../support/executable'
import { rejection } from '../support/rejection'
import { startS3 } from '../support/s3'

const config = readConfig({ ROWHOUSE_DATA_DIR: newFolder() })

test('a backup that cannot be tried out here, and a result that cannot be written, keep no other from being tried out', async () => {
  const place = newFolder()
  for (const name of ['old.tar.zst', 'older.tar.zst'])
    writeFileSync(join(place, name), await forgedBackup([], manifestText({ postgres: 9 })))
  writeFileSync(join(place, 'damaged.tar.zst'), 'no backup')
  mkdirSync(join(place, 'damaged.tar.zst.verified'))
  const lines: string[] = []
  const progress = { begin: () => {}, add: () => {}, say: () => {}, tell: (line: string) => void lines.push(line), end: () => {} }
  const { signal } = new AbortController()
  expect(await verifyPlace({ place, passphrase: undefined, config, progress, signal })).toEqual({ damaged: 1, untried: 2 })
  expect(lines.toSorted()).toEqual([
    expect.stringContaining('damaged.tar.zst.verified could not be written'),
    expect.stringContaining('damaged.tar.zst is damaged. '),
    expect.stringMatching(/^old\.tar\.zst could not be verified\. .*PostgreSQL 9/),
    expect.stringMatching(/^older\.tar\.zst could not be verified\. /),
  ])
})

const verifyOne = async (place: string, environment: Record<string, string> = {}) => {
  const lines: string[] = []
  const progress = { begin: () => {}, add: () => {}, say: () => {}, tell: (line: string) => void lines.push(line), end: () => {} }
  const task = { place, passphrase: undefined, config: readConfig({ ROWHOUSE_DATA_DIR: newFolder(), ...environment }), progress }
  return { ...(await verifyPlace({ ...task, signal: new AbortController().signal })), lines }
}

test('a backup that is named is tried out whatever its name is, and no other one beside it', async () => {
  const backup = await forgedBackup([], manifestText({ postgres: 9 }))
  const outcome = { damaged: 0, untried: 1, lines: [expect.stringMatching(/^mine could not be verified\. .*PostgreSQL 9/)] }
  const folder = newFolder()
  for (const name of ['mine', 'mine.tar.zst']) writeFileSync(join(folder, name), backup)
  expect(await verifyOne(join(folder, 'mine'))).toEqual(outcome)

  await using s3 = await startS3()
  const { S3_BUCKET: bucket, S3_PREFIX: _, ...keys } = s3.environment
  const client = new Bun.S3Client({ bucket, endpoint: keys.S3_ENDPOINT!, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' })
  for (const name of ['mine', 'mine.tar.zst']) await client.write(`nightly/${name}`, backup)
  expect(await verifyOne(`s3://${bucket}/nightly/mine`, keys)).toEqual(outcome)
  expect(await verifyOne(`s3://${bucket}/nightly`, keys)).toMatchObject({ untried: 1, lines: [expect.stringMatching(/^mine\.tar\.zst /)] })
})

test('a backup that does not exist is refused in a sentence', async () => {
  const error = await rejection(verifyOne(join(newFolder(), 'gone.tar.zst')))
  expect(error).toBeInstanceOf(BackupError)
  expect((error as Error).message).toMatch(/\/gone\.tar\.zst\/? cannot be read: no such file or directory\.$/)
})

test('a file that cannot be read is not said to be damaged', async () => {
  const read = async () => {
    for await (const _ of readStored(openStore(newFolder(), config), 'gone.tar.zst'));
  }
  expect(await rejection(read())).toBeInstanceOf(UnreadableStore)
})
