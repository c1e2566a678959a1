import { expect, test } from 'bun:test'
import { t } from 'elysia'
import { isLocalizedText, type LocalizedText, schemaIn, textIn } from '../../../src/plugins/load/localized-text'
import { createChecker } from '../../../src/plugins/load/schemas'

const text = (value: LocalizedText) => value as string

test.each([
  ['Invoice', true],
  [{ en: 'Invoice', de: 'Rechnung' }, true],
  [{ en: 'Invoice' }, true],
  [{ de: 'Rechnung' }, false],
  [{ en: 'Invoice', de: 5 }, false],
  [{ en: 'Invoice', fr: 'Facture' }, false],
  [Object.create({ en: 'Invoice' }), false],
  [null, false],
  [5, false],
])('%p is a text for people: %p', (value, isText) => {
  expect(isLocalizedText(value)).toBe(isText)
})

test('English fills in for a language without a text', () => {
  expect(textIn({ en: 'Invoice', de: 'Rechnung' }, 'de')).toBe('Rechnung')
  expect(textIn({ en: 'Invoice' }, 'de')).toBe('Invoice')
  expect(textIn('Invoice', 'de')).toBe('Invoice')
})

const values = { title: { en: 'a value', de: 'ein Wert' } }
const schema = t.Object({
  title: t.String({ title: text({ en: 'Title', de: 'Titel' }), description: text({ en: 'Help' }) }),
  default: t.Array(t.Object({ day: t.String({ title: text({ en: 'Day', de: 'Tag' }) }) })),
  any: t.Unknown({ default: values, examples: [values] }),
})

test('a schema has its titles in one language, and keeps its values and the names of its properties', () => {
  expect(JSON.parse(JSON.stringify(schemaIn(schema, 'de'))).properties).toEqual({
    title: { type: 'string', title: 'Titel', description: 'Help' },
    default: { type: 'array', items: { type: 'object', required: ['day'], properties: { day: { type: 'string', title: 'Tag' } } } },
    any: { default: values, examples: [values] },
  })
})

test('only schemas have titles: what else a plugin writes into one stays as it is', () => {
  const others = { example: { title: 5 }, 'x-ui': { description: ['wide'], items: [{ title: null }] }, title: undefined }
  const plain = t.Object({ a: t.String({ description: undefined }), b: t.Unknown(others) })
  const copy = schemaIn(plain, 'de') as typeof plain
  expect(copy.properties.b).toMatchObject(others)
  expect(createChecker(plain).read({ a: 'x', b: 1 }, 'json')).toEqual({ value: { a: 'x', b: 1 } })
})

test.each([
  ['a union', t.Union([t.String({ title: text({ en: 'Day', de: 'Tag' }) }), t.Null()])],
  ['an intersection', t.Intersect([t.Object({ a: t.String({ title: text({ en: 'Day', de: 'Tag' }) }) })])],
  ['a tuple', t.Tuple([t.String({ title: text({ en: 'Day', de: 'Tag' }) })])],
  ['a record', t.Record(t.String(), t.String({ title: text({ en: 'Day', de: 'Tag' }) }))],
  ['other properties', t.Object({}, { additionalProperties: t.String({ title: text({ en: 'Day', de: 'Tag' }) }) })],
  ['a negation', t.Not(t.String({ title: text({ en: 'Day', de: 'Tag' }) }))],
  ['a recursive schema', t.Recursive((self) => t.Object({ a: t.Array(self, { title: text({ en: 'Day', de: 'Tag' }) }) }))],
])('the titles within %s are in one language', (_, schema) => {
  expect(JSON.stringify(schemaIn(schema, 'de'))).toContain('"title":"Tag"')
})

test('a schema with texts in two languages checks as one with English texts does', () => {
  const checker = createChecker(schema)
  expect(checker.schema.properties.title.title).toBe('Title')
  expect(checker.read({ title: 'x', default: [{ day: 'y' }] }, 'json')).toEqual({
    value: { title: 'x', default: [{ day: 'y' }], any: values },
  })
  expect(checker.read({ title: 'x', default: [{}] }, 'json')).toMatchObject({ problems: [{ path: '/default/0/day' }] })
  expect(() => createChecker(t.String({ title: text({ de: 'Titel' } as never) }))).toThrow('needs as "title" a text')
})
