import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWhole } from '../../src/object-store/folder'
import { settled } from '../support/rejection'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'object-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (text: string) => new TextEncoder().encode(text)

test('a file has its name when it is complete, and replaces another one', async () => {
  const path = join(folder, 'file')
  for (const text of ['first', 'second']) {
    const file = await createWhole(`${path}.part`, path)
    for (const letter of text) await file.write(bytes(letter))
    if (text === 'first') expect(existsSync(path)).toBe(false)
    await file.finish()
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['file'])
})

test('an unfinished file is removed, also after its end failed', async () => {
  const path = join(folder, 'file')
  const left = await createWhole(`${path}.part`, path)
  await left.write(bytes('half'))
  await left.abandon()
  mkdirSync(path)
  const failing = await createWhole(`${path}.part`, path)
  expect(await settled(failing.finish())).toThrow()
  await failing.abandon()
  expect(readdirSync(folder)).toEqual(['file'])
})

test('two writers of one unfinished file are not possible', async () => {
  const path = join(folder, 'file')
  const first = await createWhole(`${path}.part`, path)
  expect(await settled(createWhole(`${path}.part`, path))).toThrow('EEXIST')
  await first.abandon()
})

test('the folders of both names may be created when they are needed', async () => {
  const made: string[] = []
  const file = await createWhole(join(folder, 'incoming', 'a'), join(folder, 'files', 'a'), (needed, work) => {
    made.push(needed)
    mkdirSync(needed)
    return work()
  })
  await file.finish()
  expect(made).toEqual([join(folder, 'incoming'), join(folder, 'files')])
  expect(readdirSync(join(folder, 'files'))).toEqual(['a'])
})
