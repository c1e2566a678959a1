import { describe, expect, test } from 'bun:test'
import { constantDefault } from '../../../src/tables/catalog/introspection/constant-default'
import { derivedId } from '../../../src/tables/catalog/introspection/derived-id'
import type { PgType } from '../../../src/tables/catalog/introspection/introspection'
import { toColumnType } from '../../../src/tables/catalog/introspection/to-column-type'

const type = (more: Partial<PgType> & Pick<PgType, 'name'>): PgType => ({
  ...{ schema: 'pg_catalog', text: more.name, kind: 'b', base: undefined, baseText: null, element: undefined },
  ...{ isRequired: false, default: null, labels: null, isNameable: true },
  ...more,
})
const numeric = type({ name: 'numeric' })
const varchar = type({ name: 'varchar', text: 'character varying' })
const mood = type({ name: 'mood', schema: 'crm', text: 'mood', kind: 'e', labels: ['sad', 'ok'] })
const arrayOf = (element: PgType) => type({ name: `_${element.name}`, schema: element.schema, text: `${element.text}[]`, element })
const domainOf = (base: PgType, more: Partial<PgType> = {}) => type({ name: 'd', schema: 'crm', text: 'crm.d', kind: 'd', base, ...more })

describe('a type of PostgreSQL', () => {
  test.each([
    [
      'a number',
      numeric,
      'numeric(8,3)',
      { sqlType: 'numeric(8,3)', comparedAs: 'numeric', type: 'decimal', options: { precision: 8, scale: 3 } },
    ],
    ['a negative scale', numeric, 'numeric(3,-2)', { sqlType: 'numeric(3,-2)', type: 'decimal', options: {} }],
    ['a text with a length, which a cast would cut', varchar, 'character varying(40)', { sqlType: 'character varying', type: 'text' }],
    ['an array of such', arrayOf(varchar), 'character varying(40)[]', { sqlType: 'character varying[]', type: 'other' }],
    [
      'a moment',
      type({ name: 'timestamptz', text: 'timestamp with time zone' }),
      'timestamp(3) with time zone',
      { sqlType: 'timestamp(3) with time zone', comparedAs: 'timestamp with time zone', type: 'dateTime' },
    ],
    ['a time without a zone, which nobody can place', type({ name: 'timestamp' }), null, { type: 'other' }],
    ['an enum', mood, null, { sqlType: '"crm"."mood"', type: 'select', options: { choices: ['sad', 'ok'] } }],
    ['an array of an enum', arrayOf(mood), null, { sqlType: '"crm"."mood"[]', comparedAs: '"crm"."mood"[]', type: 'other', options: {} }],
    [
      'a type with a hostile name',
      type({ name: 'a"b c', schema: 'x.y', text: '"x.y"."a""b c"' }),
      null,
      { sqlType: '"x.y"."a""b c"', type: 'other' },
    ],
    [
      'an extension’s type with a modifier',
      type({ name: 'vector', schema: 'ext', text: 'ext.vector' }),
      'ext.vector(3)',
      { sqlType: '"ext"."vector"(3)', comparedAs: '"ext"."vector"' },
    ],
    [
      'an array of that',
      arrayOf(type({ name: 'vector', schema: 'ext', text: 'vector' })),
      'vector(3)[]',
      { sqlType: '"ext"."vector"(3)[]' },
    ],
    [
      'citext, wherever it is',
      type({ name: 'citext', schema: 'ext', text: 'ext.citext' }),
      null,
      { type: 'text', sqlType: '"ext"."citext"' },
    ],
    ['a type that is only called like one of ours', type({ name: 'text', schema: 'crm', text: 'crm.text' }), null, { type: 'other' }],
    ['a type called like a property of every object', type({ name: 'constructor' }), null, { type: 'other' }],
    ['a domain', domainOf(numeric), null, { sqlType: '"crm"."d"', comparedAs: 'numeric', type: 'decimal', isRequired: false }],
    [
      'a domain of a domain',
      domainOf(domainOf(numeric, { isRequired: true, default: '1' })),
      null,
      { comparedAs: 'numeric', isRequired: true, default: '1' },
    ],
    [
      'a domain over a number with digits',
      domainOf(domainOf(numeric, { baseText: 'numeric(12,2)' })),
      null,
      { sqlType: '"crm"."d"', comparedAs: 'numeric', options: { precision: 12, scale: 2 } },
    ],
    ['a domain over an array', domainOf(arrayOf(mood)), null, { comparedAs: '"crm"."mood"[]', type: 'other' }],
    ['a type in a closed schema', arrayOf({ ...mood, isNameable: false }), null, { isNameable: false }],
  ] as const)('%s', (_what, asked, text, expected) => {
    expect(toColumnType(asked, text)).toMatchObject(expected as object)
  })
})

describe('a default', () => {
  test.each([
    ['42', 'integer', 42],
    ["'-5'::integer", 'integer', -5],
    ["'9007199254740993'::bigint", 'bigint', '9007199254740993'],
    ['1.5', 'decimal', 1.5],
    ['1.50', 'decimal', '1.50'],
    ['true', 'boolean', true],
    ["'it''s'::text", 'text', "it's"],
    [`'it''s "great"'::crm."my mood"`, 'select', 'it\'s "great"'],
    ["'DE'::bpchar", 'text', 'DE'],
    ["'2000-01-01'::date", 'date', '2000-01-01'],
    ["'2020-01-01 00:00:00+00'::timestamp with time zone", 'dateTime', '2020-01-01T00:00:00+00:00'],
    ['\'{"a": [1]}\'::jsonb', 'json', { a: [1] }],
    ["'{}'::text[]", 'other', null],
    ['NULL::text', 'text', null],
    ['now()', 'dateTime', null],
    ["nextval('crm.t_id_seq'::regclass)", 'integer', null],
    ["('a'::text || 'b'::text)", 'text', null],
    ["'a'::text || 'b'::text", 'text', null],
    ["lower('A'::text)", 'text', null],
    [null, 'text', null],
  ] as const)('%p of type %s', (expression, name, expected) => {
    expect(constantDefault(expression, name)).toEqual(expected as never)
  })
})

describe('an id', () => {
  test('is the same for the same name, and a UUID of version 8', () => {
    expect(derivedId('crm', 'people')).toBe(derivedId('crm', 'people'))
    expect(derivedId('crm', 'people')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
  test('is another for another name, wherever the border between the parts lies', () => {
    const ids = [derivedId('a', 'b'), derivedId('a', 'b', ''), derivedId('a.b'), derivedId('a', 'B'), derivedId('ab'), derivedId('a","b')]
    expect(new Set(ids).size).toBe(ids.length)
  })
})
