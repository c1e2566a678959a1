import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isServerPage, nextPage } from '../../src/web/browser/session/next-page'

const origin = 'https://rowhouse.example'

test.each([
  ['/tables/1?age=gte.18#x', '/tables/1?age=gte.18#x'],
  ['/tables/1?token=secret&a=1', '/tables/1?a=1'],
  ['/swagger', '/swagger'],
  [undefined, '/'],
  ['https://example.org/tables', '/'],
  ['//example.org/tables', '/'],
  ['/\\example.org', '/'],
  ['/\t/example.org', '/'],
  ['/.//example.org', '/example.org'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?next=/sign-in', '/'],
])('%p leads to %s', (next, path) => {
  expect(nextPage(next, origin)).toBe(path)
})

test('whatever comes, it is a page of this service', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `/${text}`),
      ),
      (next) => {
        const path = nextPage(next, origin)
        expect(path).toMatch(/^\/(?!\/)/)
        expect(new URL(path, origin).origin).toBe(origin)
      },
    ),
  )
})

test.each([
  ['/swagger', true],
  ['/api/v1/tables', true],
  ['/swaggering', false],
  ['/tables/1', false],
])('%s is drawn by others: %p', (path, expected) => {
  expect(isServerPage(path)).toBe(expected)
})
