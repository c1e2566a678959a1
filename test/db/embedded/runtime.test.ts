import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isUnpacked, postgresMajor, removeOtherRuntimes, unpackRuntime } from '../../../src/db/embedded/runtime'
import { newFolder } from '../../support/executable'
import { until } from '../../support/processes'

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort()

test('PostgreSQL is unpacked again where a part of it has its name: a part is without the marker, which is written last', async () => {
  const runtimeDir = newFolder()
  const unpackIn = () => unpackRuntime(runtimeDir, () => {})
  const folder = await unpackIn()
  const whole = filesIn(folder)
  rmSync(join(folder, 'complete'))
  for (const name of ['lib', 'share']) rmSync(join(folder, name), { recursive: true })
  mkdirSync(`${folder}.unpacking/bin`, { recursive: true })
  expect(isUnpacked(runtimeDir)).toBe(false)
  expect(await unpackIn()).toBe(folder)
  expect([isUnpacked(runtimeDir), filesIn(folder), readdirSync(runtimeDir)]).toEqual([true, whole, [basename(folder)]])
})

test('kill -9 while the PostgreSQL of another release is removed: no part of it keeps its name, and the rest goes at the next start', async () => {
  const runtimeDir = newFolder()
  const name = `postgres-${postgresMajor}.0-0123456789ab`
  const parts = Array.from({ length: 200 }, (_, part) => join(runtimeDir, name, `share/${part}`))
  for (const part of parts) {
    mkdirSync(part, { recursive: true })
    for (let file = 0; file < 25; file++) writeFileSync(join(part, String(file)), '')
  }
  const module = join(import.meta.dir, '../../../src/db/embedded/runtime.ts')
  const remove = `(await import(${JSON.stringify(module)})).removeOtherRuntimes(${JSON.stringify(runtimeDir)}, [])`
  const removing = Bun.spawn([process.execPath, '-e', remove], { stdio: ['ignore', 'ignore', 'inherit'] })
  const isBegun = () => parts.some((part) => !existsSync(part))
  await until('the removal has begun', isBegun)
  removing.kill('SIGKILL')
  await removing.exited
  expect(readdirSync(runtimeDir)).not.toContain(name)
  removeOtherRuntimes(runtimeDir, [])
  expect(readdirSync(runtimeDir)).toEqual([])
})

test('a removal that was cut off between its steps goes on, whatever it has left', () => {
  const runtimeDir = newFolder()
  const name = `postgres-${postgresMajor}.0-0123456789ab`
  for (const left of [name, `${name}.unpacking`]) mkdirSync(join(runtimeDir, left, 'bin'), { recursive: true })
  removeOtherRuntimes(runtimeDir, [])
  expect(readdirSync(runtimeDir)).toEqual([])
})
