import { expect, test } from 'bun:test'
import { Lru } from '../src/lru'

const present = (lru: Lru<string, number>, keys: string) => [...keys].filter((key) => lru.get(key) !== undefined).join('')

const filled = (max: number, keys: string) => {
  const lru = new Lru<string, number>(max)
  for (const key of keys) lru.set(key, key.charCodeAt(0))
  return lru
}

test('a new entry replaces the oldest one', () => {
  const lru = filled(3, 'abcd')
  expect(present(lru, 'abcd')).toBe('bcd')
  expect(lru.get('d')).toBe('d'.charCodeAt(0))
})

test('an entry that was read or set again is the newest', () => {
  const lru = filled(3, 'abc')
  lru.get('a')
  lru.set('b', 0)
  lru.set('d', 1)
  expect(present(lru, 'abcd')).toBe('abd')
  expect(lru.get('b')).toBe(0)
})

test('the newest one may be read again and again', () => {
  const lru = filled(2, 'ab')
  for (let times = 0; times < 5; times++) lru.get('b')
  lru.get('a')
  lru.set('c', 0)
  expect(present(lru, 'abc')).toBe('ac')
})

test('a deleted entry makes room, and may return', () => {
  const lru = filled(2, 'ab')
  lru.delete('b')
  lru.set('c', 0)
  expect(present(lru, 'abc')).toBe('ac')
  lru.delete('c')
  expect(lru.get('c')).toBeUndefined()
  lru.set('c', 1)
  expect(present(lru, 'ac')).toBe('ac')
})

test('values may be false, 0 or empty', () => {
  const lru = new Lru<string, unknown>(2)
  for (const [key, value] of Object.entries({ a: 0, b: '' })) lru.set(key, value)
  lru.get('a')
  lru.set('c', false)
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([0, undefined, false])
})
