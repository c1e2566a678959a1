import { expect, test } from 'bun:test'
import type { TableView } from '../../src/tables/model'
import type { Template } from '../../src/web/browser/api/documents-query'
import { documentRecord } from '../../src/web/browser/pages/documents/document-record'
import { brokenLists, initialInput, toParameterValues, toUrlParameters } from '../../src/web/browser/pages/documents/schema-values'
import { parseParameters } from '../../src/web/browser/pages/record/document-parameters'
import { shareSubjects } from '../../src/web/browser/pages/record/share-subjects'
import { documentParameters, documentPath, templatesFor } from '../../src/web/browser/records/list/record-templates'
import { en } from '../../src/web/browser/strings/en'

const schema = { properties: { records: { type: 'array', items: { type: 'string' } }, one: { type: 'string' } } }

test.each([
  [['a', 'b'], 'a\nb'],
  [['line\nbreak', 'b'], '["line\\nbreak","b"]'],
  [['carriage\rreturn'], '["carriage\\rreturn"]'],
  [['', ' '], '[""," "]'],
  [['["a"]'], '["[\\"a\\"]"]'],
  [['[1]', '{'], '[1]\n{'],
  [['["a"', 'b'], '["[\\"a\\"","b"]'],
])('the values %j of a list come back from the text of their field', (records, text) => {
  const typed = initialInput(schema, new URLSearchParams(records.map((value) => ['records', value])))
  expect(typed.records).toBe(text)
  expect(toUrlParameters(schema, typed)).toEqual(records.map((value): [string, string] => ['records', value]))
  expect(toParameterValues(schema, typed)).toEqual({ records })
})

test.each([
  ['["line\\nbreak","b"]\nc', ['records']],
  [' [ "a", "b"', ['records']],
  ['["a", 1]', ['records']],
  ['["line\\nbreak","b"]\n', []],
  ['[draft] a\nb', []],
  ['a\n["b"]', []],
  ['', []],
])('a list that begins as a JSON array and is none is refused: %j', (records, names) => {
  expect(brokenLists(schema, { records, one: '["a"' })).toEqual(names)
  expect(Array.isArray(toParameterValues(schema, { records }).records ?? [])).toBe(names.length === 0)
})

test('blank lines between typed values count for nothing', () => {
  expect(toParameterValues(schema, { records: 'a\n\n  \nb', one: 'x' })).toEqual({ records: ['a', 'b'], one: 'x' })
})

test.each([1, 600])('the keys of %p records are those in the URL of the page', (count) => {
  const template = { plugin: 'p', template: 't', for: { tableParam: 'table', key: 'keys' } } as Template
  const keys = Array.from({ length: count }, (_, index) => `~a&b=%${index}%25+ #\n`)
  const path = documentPath(template, { id: 'x-id', name: 'x', primaryKey: ['id'] } as TableView, keys.map(encodeURIComponent))
  const url = new URL(path, 'http://localhost')
  expect(url.search === '').toBe(count > 1)
  // As the router does.
  const hash = `#${decodeURI(url.hash.slice(1))}`
  expect(documentParameters({ search: url.search, hash }).getAll('keys')).toEqual(keys)
  expect(documentParameters({ search: url.search, hash }).get('table')).toBe('x-id')
})

test('the key of two columns is one parameter, with its parts as in a path', () => {
  const template = { plugin: 'p', template: 't', for: { tableParam: 'table', key: 'key' } } as Template
  const pairs = { id: 'pairs-id', name: 'pairs', primaryKey: ['a', 'b'] } as TableView
  expect(templatesFor([template], pairs)).toEqual([template])
  const path = documentPath(template, pairs, ['x%2C1,50%25'])
  expect(new URL(path, 'http://localhost').searchParams.get('key')).toBe('x%2C1,50%25')
  expect(documentRecord(template, path, [pairs])).toEqual({ table: pairs, key: 'x%2C1,50%25' })
  expect(templatesFor([template], { ...pairs, primaryKey: [] })).toEqual([])
})

test('a template is offered for its own table, and not for one of the same name in another schema', () => {
  const template = { plugin: 'p', template: 't', for: { table: 'a-id', key: 'key' } } as Template
  const orders = { id: 'a-id', schema: 'data', name: 'orders', primaryKey: ['id'] } as TableView
  const others = { ...orders, id: 'b-id', schema: 'crm' }
  expect([orders, others].map((table) => templatesFor([template], table).length)).toEqual([1, 0])
  expect(documentRecord(template, '?key=7', [others, orders])).toEqual({ table: orders, key: '7' })
})

test('a text becomes a value of unions, of schemas that also take null, and of JSON', () => {
  const copies = { anyOf: [1, 2].map((value) => ({ const: value, type: 'number' })) }
  const orNull = (type: string) => ({ anyOf: [{ type }, { type: 'null' }] })
  const properties = {
    copies,
    sizes: { type: 'array', items: copies },
    discount: orNull('number'),
    loud: orNull('boolean'),
    note: orNull('string'),
    more: { anyOf: [copies, { type: 'null' }] },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    lines: { type: 'array', items: { type: 'object' } },
    to: { type: 'object' },
  }
  const json = { lines: '[{"n":1,"text":"a, b"},{"n":2}]', to: '{"city":"Wien"}' }
  const typed = { copies: '1', sizes: '1', discount: '5', loud: 'true', note: '5', more: '2', either: '5', ...json }
  const values = {
    ...{ copies: 1, sizes: [1], discount: 5, loud: true, note: '5', more: 2, either: '5' },
    ...{ lines: [{ n: 1, text: 'a, b' }, { n: 2 }], to: { city: 'Wien' } },
  }
  expect(toParameterValues({ properties }, typed)).toEqual(values)
  expect(parseParameters({ params: { properties } }, typed)).toEqual(values)
  const wrong = { copies: '3', discount: 'five', to: '{' }
  expect(parseParameters({ params: { properties } }, wrong)).toEqual(wrong)
})

test('a document is shared whose other parameters have defaults or are optional, which the service fills in', () => {
  const table = { id: 'orders-id', name: 'orders', primaryKey: ['id'], columns: [], createdAt: null, can: { columns: { read: [] } } }
  const properties = { key: { type: 'integer' }, greeting: { type: 'string', default: 'Dear' }, loud: { type: 'boolean', default: true } }
  const shared = (required?: string[], more = {}) => {
    const params = { properties: { ...properties, ...more }, required }
    const template = { plugin: 'p', template: 't', title: 'T', for: { table: 'orders-id', key: 'key' }, params } as unknown as Template
    const [, ...documents] = shareSubjects(table as unknown as TableView, '7', {}, [template], en.links)
    return documents.map(({ body }) => body.document)
  }
  const document = { plugin: 'p', template: 't', params: { key: 7 } }
  expect(shared(['key', 'greeting', 'loud'])).toEqual([document])
  expect(shared()).toEqual([document])
  expect(shared(['key', 'place'], { place: { type: 'string' } })).toEqual([])
})
