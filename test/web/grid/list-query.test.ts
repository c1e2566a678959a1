import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ListQuery,
  parseListQuery,
  toQueryString,
  toUrlSearch,
  validateSearch,
} from '../../../src/web/browser/pages/grid/data/list-query'

const empty: ListQuery = { q: '', sort: [], conditions: [], rest: [] }

describe('the address of a grid', () => {
  test('says what is looked for in the words of the API', () => {
    const query: ListQuery = {
      q: 'liis',
      sort: [
        { column: 'name', isDescending: true },
        { column: 'a.b', isDescending: false },
      ],
      conditions: [
        { column: 'age', operator: 'gt', value: '30' },
        { column: 'order', operator: 'is.null', value: '' },
        { column: 'name', operator: 'ilike', value: 'ab' },
      ],
      rest: [['or', '(a.eq.1,b.eq.2)']],
    }
    expect(toUrlSearch(query)).toEqual({
      age: 'gt.30',
      '"order"': 'is.null',
      name: 'ilike.*ab*',
      or: '(a.eq.1,b.eq.2)',
      order: 'name.desc,"a.b"',
      q: 'liis',
    })
    expect(parseListQuery(toUrlSearch(query))).toEqual(query)
  })

  test('takes conditions on one column twice, and lists', () => {
    const query: ListQuery = {
      ...empty,
      conditions: [
        { column: 'age', operator: 'gte', value: '1' },
        { column: 'age', operator: 'lt', value: '5' },
        { column: 'city', operator: 'in', value: 'Oslo, Bergen' },
      ],
    }
    expect(toQueryString(query)).toBe('age=gte.1&age=lt.5&city=in.(%22Oslo%22%2C%22Bergen%22)')
    expect(parseListQuery(toUrlSearch(query))).toEqual(query)
  })

  test('leaves out what is no business of the page, and takes numbers of the router for text', () => {
    expect(parseListQuery(validateSearch({ limit: 5, token: 'x', q: 12, offset: 3 }))).toEqual({ ...empty, q: '12' })
  })

  test('comes back as it was, whatever a column is called and whatever is compared', () => {
    const name = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/[".>\\]/.test(text))
    const condition = fc.record({ column: name, operator: fc.constantFrom('eq' as const, 'gt' as const), value: fc.string() })
    fc.assert(
      fc.property(fc.uniqueArray(condition, { selector: ({ column }) => column, maxLength: 4 }), fc.string(), (conditions, q) => {
        const { conditions: back, q: found } = parseListQuery(toUrlSearch({ ...empty, conditions, q }))
        const order = (list: ListQuery['conditions']) => [...list].sort((one, other) => (one.column < other.column ? -1 : 1))
        expect({ conditions: order(back), q: found }).toEqual({ conditions: order(conditions), q })
      }),
      {
        examples: [
          [
            [
              { column: '__proto__', operator: 'eq', value: '' },
              { column: 'constructor', operator: 'gt', value: 'a' },
            ],
            'q',
          ],
        ],
      },
    )
  })
})
