import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UnreadableStore } from '../../src/backup/errors'
import { openStore, readStored } from '../../src/backup/store'
import { verifyPlace } from '../../src/commands/backup/verify'
import { readConfig } from '../../src/ops/settings/config'
import { forgedBackup, manifestText } from '../support/archives'
import { newFolder } from '../support/executable'
import { rejection } from '../support/rejection'

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

test('a file that cannot be read is not said to be damaged', async () => {
  const read = async () => {
    for await (const _ of readStored(openStore(newFolder(), config), 'gone.tar.zst'));
  }
  expect(await rejection(read())).toBeInstanceOf(UnreadableStore)
})
