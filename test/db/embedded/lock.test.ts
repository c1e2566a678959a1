import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findHolder, lockDataDir } from '../../../src/db/embedded/lock'
import { newFolder } from '../../support/executable'

test('who waits for a lock whose file is removed meanwhile locks the file that others find', async () => {
  const dataDir = newFolder()
  const place = { dataDir, socketDir: dataDir } as Parameters<typeof lockDataDir>[0]
  const first = await lockDataDir(place)
  const waiting = lockDataDir(place)
  rmSync(join(dataDir, 'rowhouse.lock'))
  first!.release()
  const second = await waiting
  expect(second).not.toBeNull()
  expect(findHolder(dataDir)).toMatchObject({ pid: String(process.pid) })
  second!.release()
  expect(findHolder(dataDir)).toBeNull()
})
