import { expect, test } from 'bun:test'
import type { TableView } from '../../../src/tables/model'
import { likelyTarget } from '../../../src/web/browser/records/values/link-targets'

const table = (name: string, more: object = {}) =>
  ({ id: name, name, primaryKey: ['id'], displayColumn: 'name', can: { read: true }, ...more }) as TableView
const found = (header: string, name: string, more: object = {}) => likelyTarget(header, 'text', [table('zzz'), table(name, more)])?.name

test.each([
  ['Mitglied', 'mitglieder'],
  ['Kunde', 'kunden'],
  ['Kunde', 'Kunde'],
  ['customer', 'customers'],
  ['company', 'companies'],
  ['Firma', 'firmen'],
  ['Buch', 'bücher'],
  ['Tag', 'tags'],
  ['Ver-ein', 'vereine'],
])('%s may name a record of %s', (header, name) => expect(found(header, name)).toBe(name))

test.each([
  ['Name', 'mitglieder'],
  ['Mail', 'main'],
  ['Ort', 'orders'],
  ['Mitgliedsbeitrag', 'mitglieder'],
  ['', 'a'],
  ['–', 'mitglieder'],
  ['id', 'ids'],
])('%s does not name a record of %s', (header, name) => expect(found(header, name)).toBeUndefined())

test('a table without names or rights is none, and neither is a column of another type', () => {
  expect(found('Kunde', 'kunden', { displayColumn: 'id' })).toBeUndefined()
  expect(found('Kunde', 'kunden', { displayColumn: null })).toBeUndefined()
  expect(found('Kunde', 'kunden', { primaryKey: ['a', 'b'] })).toBeUndefined()
  expect(found('Kunde', 'kunden', { can: { read: false } })).toBeUndefined()
  expect(likelyTarget('Kunde', 'integer', [table('kunden')])).toBeUndefined()
})
