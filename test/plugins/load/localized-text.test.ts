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

test('a schema with texts in two languages checks as one with English texts does', () => {
  const checker = createChecker(schema)
  expect(checker.schema.properties.title.title).toBe('Title')
  expect(checker.read({ title: 'x', default: [{ day: 'y' }] }, 'json')).toEqual({
    value: { title: 'x', default: [{ day: 'y' }], any: values },
  })
  expect(checker.read({ title: 'x', default: [{}] }, 'json')).toMatchObject({ problems: [{ path: '/default/0/day' }] })
  expect(() => createChecker(t.String({ title: text({ de: 'Titel' } as never) }))).toThrow('needs as "title" a text')
})
