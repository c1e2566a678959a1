import { expect, test } from 'bun:test'
import { findHits } from '../../../src/web/browser/pages/grid/view/search-hits'

test.each([
  ['Zieliński', 'zielin', 'Zieliń'],
  ['Große Straße 9', 'strasse', 'Straße'],
  ['Łódź', 'ódz', 'ódź'],
  ['e\u0301te\u0301', 'ete', 'e\u0301te\u0301'],
  ['οδός 1', 'ΟΔΟΣ', 'οδός'],
  ['abc', 'x', undefined],
  ['abc', '  ', undefined],
])('in %j the hit of %j is %j', (text, search, hit) => {
  expect(findHits(text, search).map(([from, to]) => text.slice(from, to))[0]).toBe(hit!)
})

test('all hits are found', () => expect(findHits('anana a', 'a')).toHaveLength(4))
