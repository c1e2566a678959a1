import { expect, test } from 'bun:test'
import type { TableView } from '../../src/tables/model'
import type { FilterRule } from '../../src/web/browser/records/filters/filter-operators'
import { type LinkedCondition, parseCondition, writeCondition } from '../../src/web/browser/records/filters/linked-conditions'

const column = (name: string, type: string) => ({ id: `${name}-id`, name, type, options: {} })
const table = {
  columns: [
    ...[column('title', 'text'), column('price', 'decimal'), column('done', 'boolean')],
    ...[column('state', 'select'), column('client', 'link'), column('owner', 'user')],
  ],
} as unknown as TableView

const rule = (name: string, operator: FilterRule['operator'], ...values: string[]): FilterRule => ({
  kind: 'rule',
  column: name,
  operator,
  values,
})

test.each<[FilterRule, Omit<LinkedCondition, 'column'>]>([
  [rule('title', 'contains', '50%'), { operator: 'ilike', value: '*50\\%*' }],
  [rule('title', 'notContains', 'a'), { operator: 'ilike', value: '*a*', not: true }],
  [rule('title', 'eq', 'a'), { operator: 'eq', value: 'a' }],
  [rule('title', 'differs', 'a'), { operator: 'eq', value: 'a', not: true }],
  [rule('title', 'isBlank'), { operator: 'neq', value: '', not: true }],
  [rule('title', 'isNotBlank'), { operator: 'neq', value: '' }],
  [rule('price', 'gte', '1.50'), { operator: 'gte', value: '1.50' }],
  [rule('price', 'isNull'), { operator: 'is', value: 'null' }],
  [rule('price', 'isNotNull'), { operator: 'is', value: 'not_null' }],
  [rule('done', 'isTrue'), { operator: 'is', value: 'true' }],
  [rule('state', 'anyOf', 'a', 'b'), { operator: 'in', value: ['a', 'b'] }],
  [rule('state', 'noneOf', 'a'), { operator: 'in', value: ['a'], not: true }],
  [rule('client', 'anyOf', '7'), { operator: 'in', value: ['7'] }],
])('%j is %j, and back', (given, condition) => {
  const written = { column: `${given.column}-id`, ...condition }
  expect(writeCondition(given, table)).toEqual([written])
  expect(parseCondition(written, table)).toMatchObject(given)
})

test('a single choice, link or person of the API is shown in the field of several', () => {
  const parsed = (name: string, condition: Omit<LinkedCondition, 'column'>) => parseCondition({ column: `${name}-id`, ...condition }, table)
  expect(parsed('state', { operator: 'eq', value: 'a' })).toMatchObject(rule('state', 'anyOf', 'a'))
  expect(parsed('client', { operator: 'eq', value: '7', not: true })).toMatchObject(rule('client', 'noneOf', '7'))
})

test.each<LinkedCondition>([
  { column: 'title-id', operator: 'like', value: '*a*' },
  { column: 'title-id', operator: 'ilike', value: 'a_b' },
  { column: 'title-id', operator: 'gt', value: 'a', not: true },
  { column: 'done-id', operator: 'is', value: 'true', not: true },
  { column: 'gone-id', operator: 'eq', value: 'a' },
])('%j is none of the conditions that people choose', (condition) => {
  expect(parseCondition(condition, table)).toBeNull()
})
