import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** docs/security-checklist.md names a test for each line; a test that was renamed or taken out is missed here. */
const root = join(import.meta.dir, '..')
const lines = readFileSync(join(root, 'docs/security-checklist.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| SEC-'))
  .map((line) => line.split(' | '))

const named = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `SEC-${String(from + index).padStart(2, '0')}`)

/** `file`: "name", "name"; … */
const proofsIn = (text: string) =>
  [...text.matchAll(/`(test\/[^`]+)`: ((?:"[^"]+"(?:, )?)+)/g)].map(([, file = '', names = '']) => ({
    file,
    names: [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name!),
  }))

test('the checklist has every line, once and in order', () => {
  const names = lines.map(([name]) => name!.slice(2))
  expect(names.slice(0, 70)).toEqual(named(1, 70))
  expect(names).toEqual([...new Set(names)].sort((one, other) => Number(one.slice(4)) - Number(other.slice(4))))
})

describe.each(lines.map(([name = '', , proof = '']) => [name.slice(2), proof]))('%s', (_line, text) => {
  const proofs = proofsIn(text!)

  test('says where it is proven', () => {
    expect(proofs.length).toBeGreaterThan(0)
    // Nothing in the cell escapes the pattern.
    expect(proofs.map(({ file, names }) => `\`${file}\`: ${names.map((name) => `"${name}"`).join(', ')}`).join('; ')).toBe(
      text!.replace(/ \|$/, ''),
    )
  })

  test('names tests that are there', () => {
    for (const { file, names } of proofs) {
      const source = readFileSync(join(root, file), 'utf8')
      for (const name of names) expect({ file, name, isThere: source.includes(name) }).toEqual({ file, name, isThere: true })
    }
  })
})
