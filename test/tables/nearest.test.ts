import { expect, test } from 'bun:test'
import { nearest } from '../../src/tables/nearest'

const known = ['title', 'author', 'pages', 'isbn', 'Straße']

test.each([
  ['titel', 'title'],
  ['Title', 'title'],
  ['titles', 'title'],
  ['auther', 'author'],
  ['page', 'pages'],
  ['isnb', 'isbn'],
  ['strase', 'Straße'],
  ['publisher', undefined],
  ['', undefined],
  ['x'.repeat(5000), undefined],
])('for %p it proposes %p', (asked, expected) => {
  expect(nearest(asked, known)).toBe(expected)
})

test('for nothing known it proposes nothing', () => {
  expect(nearest('title', [])).toBeUndefined()
})
