import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeWhole } from '../../src/ops/write-file'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-file-'))
  path = join(folder, 'settings')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a file is created for its owner only, and replaced as a whole', () => {
  writeWhole(path, 'a longer first text\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { ino } = statSync(path)
  writeWhole(path, 'second\n', { mode: 0o644 })
  expect(readFileSync(path, 'utf8')).toBe('second\n')
  expect(statSync(path).mode & 0o777).toBe(0o644)
  expect(statSync(path).ino).not.toBe(ino)
  expect(readdirSync(folder)).toEqual(['settings'])
})

test('the owner may be another user', () => {
  const [uid, gid] = process.getuid?.() === 0 ? [65534, 65534] : [process.getuid!(), process.getgid!()]
  writeWhole(path, 'text', { owner: { uid, gid } })
  expect(statSync(path)).toMatchObject({ uid, gid })
})

test('what a killed process has left is replaced, and a link there is not followed', () => {
  const other = join(folder, 'other')
  writeFileSync(other, 'not ours')
  symlinkSync(other, `${path}.new`)
  writeWhole(path, 'text')
  expect(readFileSync(path, 'utf8')).toBe('text')
  expect(readFileSync(other, 'utf8')).toBe('not ours')
  expect(readdirSync(folder).sort()).toEqual(['other', 'settings'])
})

test('a link in place of the file is replaced, and not followed', () => {
  const other = join(folder, 'other')
  writeFileSync(other, 'not ours')
  symlinkSync(other, path)
  writeWhole(path, 'text')
  expect(readFileSync(path, 'utf8')).toBe('text')
  expect(readFileSync(other, 'utf8')).toBe('not ours')
})

test('a failure leaves nothing unfinished', () => {
  mkdirSync(path)
  expect(() => writeWhole(path, 'text')).toThrow()
  expect(readdirSync(folder)).toEqual(['settings'])
})

test('the unfinished file may be elsewhere', () => {
  const unfinished = join(folder, 'incoming', 'settings.1')
  expect(() => writeWhole(path, 'text', { unfinished })).toThrow('ENOENT')
  mkdirSync(join(folder, 'incoming'))
  writeWhole(path, 'text', { unfinished })
  expect(readFileSync(path, 'utf8')).toBe('text')
  expect(readdirSync(join(folder, 'incoming'))).toEqual([])
})
