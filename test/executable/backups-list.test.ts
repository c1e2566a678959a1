import { expect, test } from 'bun:test'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, openFolder } from '../support/backups'
import { run } from '../support/executable'
import { addNumber, archived, destroy, startArchiving } from '../support/wal-archives'

type Listed = {
  place: string
  backups: { name: string; proof: string; isHeld: boolean; restorableUntil: string | null; isLogBroken: boolean; problem: string | null }[]
  windows: { from: string; until: string }[]
}

test('the backups of a folder are listed with the times that can be restored to, also when the machine is lost', async () => {
  const [archive, folder] = [openFolder(), openFolder()]
  const service = await startArchiving(archive)
  await addNumber(service, 1)
  expect(await backUp(service.dataDir, `${folder}/first.tar.zst`)).toMatchObject({ code: 0 })
  await addNumber(service, 2)
  await archived(service, archive)
  expect(await backUp(service.dataDir, `${folder}/`)).toMatchObject({ code: 0 })
  await destroy(service)
  writeFileSync(join(folder, 'first.tar.zst.keep'), '')
  writeFileSync(join(folder, 'other.tar.zst.unproven'), 'no backup')
  writeFileSync(join(folder, 'notes.txt'), 'x')
  mkdirSync(join(folder, 'folder.tar.zst'))

  const list = (...more: string[]) => run(['backups', folder, `--wal-archive=${archive}`, ...more])
  const { code, stdout, stderr } = await list('--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { place, backups, windows } = JSON.parse(stdout) as Listed
  expect(place).toBe(`${folder}/`)
  const byName = Object.fromEntries(backups.map((backup) => [backup.name, backup]))
  expect(backups).toHaveLength(3)
  expect(byName['first.tar.zst']).toMatchObject({ proof: 'proven', isHeld: true, isLogBroken: false, problem: null })
  expect(Number.isNaN(Date.parse(byName['first.tar.zst']!.restorableUntil!))).toBe(false)
  expect(byName['other.tar.zst.unproven']).toMatchObject({ proof: 'unreadable', isHeld: false, restorableUntil: null })
  expect(windows[0]!.until >= byName['first.tar.zst']!.restorableUntil!).toBe(true)

  const text = (await list()).stdout
  expect(text).toMatch(/first\.tar\.zst +0 min +[\d.]+ MB +proven, kept +up to 2/)
  expect(text).toContain('Times that can be restored to:')

  expect(await run(['backups'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: rowhouse backups PLACE') })
  renameSync(folder, `${folder}-away`)
  expect(await list()).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read') })
}, 600_000)
