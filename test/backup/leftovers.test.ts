import { expect, test } from 'bun:test'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { BackupError } from '../../src/backup/errors'
import { openStore } from '../../src/backup/store'
import { createTargetFile, removeUnfinished } from '../../src/backup/target-file'
import { tryLock } from '../../src/db/embedded/libc'
import { removeStaleScratch } from '../../src/db/embedded/scratch'
import { readConfig } from '../../src/ops/settings/config'
import { newFolder } from '../support/executable'
import { isRoot } from '../support/scratch'

const somebodyElse = 65_534

test('a backup that gets its name while another one of that name begins stays whole', async () => {
  const folder = newFolder()
  for (let round = 0; round < 200; round++) {
    const path = join(folder, String(round))
    const first = await createTargetFile(path)
    await first.sink(Buffer.from('whole'))
    const kept = first.keep()
    for (let turn = 0; turn < round % 20; turn++) await new Promise(setImmediate)
    const second = await createTargetFile(path).catch((error: unknown) => error)
    expect(second).toBeInstanceOf(BackupError)
    expect([await kept, readFileSync(path, 'utf8')]).toEqual([path, 'whole'])
    expect(existsSync(`${path}.part`)).toBe(false)
  }
})

test('of unfinished backups those go that nobody writes', () => {
  const folder = newFolder()
  const named = (hour: number) => `rowhouse-20261123T${hour}1500Z.tar.zst`
  const [killed, encrypted, busy, linked, foreign] = [10, 11, 12, 13, 14].map((hour) => `${named(hour)}${hour === 11 ? '.age' : ''}.part`)
  for (const name of [killed!, encrypted!, busy!, foreign!, named(9), 'mine.part', 'b.part']) writeFileSync(join(folder, name), name)
  writeFileSync(join(folder, 'target'), 'target')
  symlinkSync(join(folder, 'target'), join(folder, linked!))
  if (isRoot) chownSync(join(folder, foreign!), somebodyElse, somebodyElse)
  const descriptor = openSync(join(folder, busy!), 'r')
  expect(tryLock(descriptor)).toBe(true)
  removeUnfinished(join(folder, 'b'))
  const left = ['mine.part', 'target', named(9), busy!, linked!, ...(isRoot ? [foreign!] : [])]
  expect(readdirSync(folder).sort()).toEqual(left.sort())
  closeSync(descriptor)
})

test('a store removes what killed writers have left, and not what is being written', async () => {
  const folder = newFolder()
  const store = openStore(folder, readConfig({}))
  const id = '0199a3b0-1111-7222-8333-444455556666'
  for (const name of [`.000000010000000000000001.${id}.part`, 'rowhouse-20261123T101500Z.tar.zst.part', `a.${id}.part`, '.a.part'])
    writeFileSync(join(folder, name), name)
  const old = new Date(Date.now() - 2 * 3_600_000)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old)
  const foreign = `.fresh.${id}.part`
  writeFileSync(join(folder, foreign), 'of another machine')
  const [begun, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* bytes() {
    yield Buffer.from('who')
    begun.resolve()
    await removed.promise
    yield Buffer.from('le')
  }
  const written = store.write('segment', bytes(), new AbortController().signal)
  await begun.promise
  store.removeUnfinished()
  expect(readdirSync(folder)).toHaveLength(4)
  removed.resolve()
  await written
  expect(readdirSync(folder).sort()).toEqual(['.a.part', foreign, `a.${id}.part`, 'segment'])
  expect(readFileSync(join(folder, 'segment'), 'utf8')).toBe('whole')
})

test.if(isRoot)('what somebody else has put into a shared folder is no scratch of ours', async () => {
  const folder = newFolder()
  for (const [name, owner] of [
    ['theirs', somebodyElse],
    ['ours', 0],
  ] as const) {
    mkdirSync(join(folder, `rowhouse-scratch-${name}`))
    writeFileSync(join(folder, `rowhouse-scratch-${name}.lock`), '')
    chownSync(join(folder, `rowhouse-scratch-${name}.lock`), owner, owner)
  }
  await removeStaleScratch(folder, newFolder())
  expect(readdirSync(folder).sort()).toEqual(['rowhouse-scratch-theirs', 'rowhouse-scratch-theirs.lock'])
})

test('a scratch folder whose lock is gone is removed; what has another name, another owner or a process is not', async () => {
  const folder = newFolder()
  const [left, busy, foreign] = ['0a1b2c3d', '1a1b2c3d', '2a1b2c3d'].map((id) => `rowhouse-scratch-${id}`)
  for (const name of [left!, busy!, foreign!, 'rowhouse-scratch-mine']) mkdirSync(join(folder, name, 'postgres'), { recursive: true })
  if (isRoot) chownSync(join(folder, foreign!), somebodyElse, somebodyElse)
  const descriptor = openSync(join(folder, `${busy}.lock`), 'wx')
  expect(tryLock(descriptor)).toBe(true)
  await removeStaleScratch(folder, newFolder())
  const kept = [busy!, `${busy}.lock`, ...(isRoot ? [foreign!] : []), 'rowhouse-scratch-mine']
  expect(readdirSync(folder).sort()).toEqual(kept.sort())
  closeSync(descriptor)
})
