import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ArchiverMessage, createArchiver } from '../../src/backup/wal/archiver'
import { objectNameOf } from '../../src/backup/wal/segment'
import { outboxIn, readArchive, settleArchive } from '../../src/db/embedded/wal-archive'
import { startApp } from '../support/app'
import { newFolder } from '../support/executable'

const { target, deps } = await startApp()
const segment = (number: number) => `00000001000000000000000${number}`

test('an archive that a clone of the machine has written to, too, is not removed with the log of this one', async () => {
  const [dataDir, place] = [newFolder(), newFolder()]
  settleArchive(dataDir, { place, identity: null })
  const messages: ArchiverMessage[] = []
  const archiver = createArchiver({
    ...{ dataDir, target, config: deps.config, passphrase: undefined, signal: new AbortController().signal },
    tell: (message) => messages.push(message),
  })
  const archive = async (number: number) => {
    writeFileSync(join(outboxIn(dataDir), segment(number)), `log ${number}`)
    await archiver.step(false)
    return readArchive(dataDir)!
  }
  const segmentsOf = (id: string) =>
    readdirSync(join(place, id, 'wal'))
      .map((name) => name.slice(0, 24))
      .sort()
  const first = await archive(1)
  expect(segmentsOf(first.id)).toEqual([segment(1)])
  // After a gap the archive before stays this one's.
  const second = await archive(3)
  expect(second.earlier).toEqual([first.id])
  await archiver.step(false)
  expect(segmentsOf(second.id)).toEqual([segment(3)])

  const foreign = objectNameOf({ segment: segment(4), sha256: 'a'.repeat(64), isEncrypted: false })
  writeFileSync(join(place, second.id, 'wal', foreign), 'log of the clone')
  const third = await archive(4)
  expect([third.id === second.id, third.earlier]).toEqual([false, []])
  expect(messages).toContainEqual({ warning: expect.stringContaining(`Another service has archived a different ${segment(4)}`) })
  archiver.removeBefore(new Date(Date.now() + 3_600_000))
  await archiver.step(false)
  await archiver.close()
  expect(segmentsOf(third.id)).toEqual([segment(4)])
  expect([...segmentsOf(first.id), ...segmentsOf(second.id)]).toEqual([segment(1), segment(3), segment(4)])
})
