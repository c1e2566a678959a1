import { describe, expect, test } from 'bun:test'
import { Type as t } from '@sinclair/typebox'
import { readTemplate } from '../../../src/plugins/load/template'

const read = (records?: unknown) =>
  readTemplate(
    'letter',
    {
      kind: 'documentTemplate',
      stack: '',
      definition: {
        title: 'Letter',
        public: false,
        params: t.Object({ table: t.String(), contact: t.Integer() }),
        for: records,
        allow: () => true,
        load: () => ({}),
        formats: { txt: 'letter.liquid' },
      },
    },
    { hash: '', files: { 'letter.liquid': new Uint8Array() } },
  ).for

describe('the records that a template is for', () => {
  test('are those of one table, of every table, or none', () => {
    expect(read()).toBeNull()
    expect(read({ table: 'contacts', key: 'contact', more: 1 })).toEqual({ table: 'contacts', key: 'contact' })
    expect(read({ tableParam: 'table', key: 'contact' })).toEqual({ tableParam: 'table', key: 'contact' })
  })

  test.each([null, 'contacts', {}, { table: 'contacts' }, { table: 'contacts', key: 'toString' }, { table: 'contacts', key: 7 }])(
    'need a parameter for the key: %p',
    (records) => expect(() => read(records)).toThrow('needs in "for" the parameter that gets the primary key'),
  )

  test.each([
    { key: 'contact' },
    { key: 'contact', table: 7 },
    { key: 'contact', tableParam: 'tables' },
    { key: 'contact', table: 'contacts', tableParam: 'table' },
  ])('need either a table or a parameter for its name: %p', (records) =>
    expect(() => read(records)).toThrow('needs in "for" either "table"'),
  )
})
