import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRule, writeRule } from '../../../src/web/browser/pages/access/rule-text'
import type { FilterGroup, FilterItem, FilterRule } from '../../../src/web/browser/records/filters/filter-operators'

const column = (name: string, type: string) => ({ id: name, name, type, required: false, readOnly: false, options: {} }) as never
const table = {
  columns: [
    column('owner', 'user'),
    column('title', 'text'),
    column('mail', 'email'),
    column('team', 'select'),
    column('tags', 'multiSelect'),
    column('ends', 'date'),
    column('amount', 'integer'),
    column('a=b & c', 'text'),
  ],
}
const rule = (name: string, operator: FilterRule['operator'], ...values: string[]): FilterRule => ({
  kind: 'rule',
  column: name,
  operator,
  values,
})
const all = (...items: FilterItem[]): FilterGroup => ({ kind: 'group', join: 'and', items })
const any = (...items: FilterItem[]): FilterGroup => ({ kind: 'group', join: 'or', items })

describe('the text of a rule', () => {
  test.each([
    ['owner=eq.@me', all(rule('owner', 'anyOf', '@me'))],
    ['owner=isdistinct.@me', all(rule('owner', 'noneOf', '@me'))],
    ['mail=eq.@me.email', all(rule('mail', 'eq', '@me.email'))],
    ['team=in.@me.groups', all(rule('team', 'anyOf', '@me.groups'))],
    ['tags=ov.@me.groups', all(rule('tags', 'hasAny', '@me.groups'))],
    ['ends=gte.@now&owner=eq.@me', all(rule('ends', 'gte', '@now'), rule('owner', 'anyOf', '@me'))],
    [
      'or=(owner.eq.@me,team.in.@me.groups,ends.lt.@now)',
      any(rule('owner', 'anyOf', '@me'), rule('team', 'anyOf', '@me.groups'), rule('ends', 'lt', '@now')),
    ],
    ['title=eq.50%25 %2B %26', all(rule('title', 'eq', '50% + &'))],
    ['"a%3Db %26 c"=eq.x', all(rule('a=b & c', 'eq', 'x'))],
  ])('%s is what the filter builder shows', (text, group) => {
    expect(parseRule(text, table)).toEqual(group)
    expect(writeRule(group, table)).toBe(text)
  })

  test.each(['customer.region=eq.north', 'owner(city)=eq.Oslo', 'nosuch=eq.1', 'not.or=(owner.eq.@me)', 'owner'])(
    '%s is left as text',
    (text) => {
      expect(parseRule(text, table)).toBeNull()
    },
  )

  test('leaves out what is not complete', () => {
    expect(writeRule(all(rule('amount', 'gt', 'x'), rule('owner', 'anyOf')), table)).toBe('')
    expect(writeRule(all(rule('amount', 'gt', '3'), rule('owner', 'anyOf')), table)).toBe('amount=gt.3')
  })

  test('says the same when it is read again, whatever it compares with', () => {
    const value = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !text.startsWith('@') && !/^\{.*\}$|[*]/.test(text))
    const item = fc.oneof(
      value.map((text) => rule('title', 'eq', text)),
      value.map((text) => rule('a=b & c', 'differs', text)),
      fc.array(value, { minLength: 1, maxLength: 3 }).map((texts) => rule('title', 'noneOf', ...texts)),
      fc.constant(rule('owner', 'anyOf', '@me')),
      fc.constant(rule('team', 'noneOf', '@me.groups')),
    )
    fc.assert(
      fc.property(fc.array(item, { minLength: 2, maxLength: 4 }), fc.constantFrom('and' as const, 'or' as const), (items, join) => {
        const group: FilterGroup = { kind: 'group', join, items }
        expect(parseRule(writeRule(group, table), table)).toEqual(group)
      }),
    )
  })
})
