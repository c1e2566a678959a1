import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Query, readQuery, toParameters, toSearch, validSearch } from '../../../src/web/browser/pages/grid/data/list-query'

const empty: Query = { q: '', sort: [], conditions: [], rest: [] }

describe('the address of a grid', () => {
  test('says what is looked for in the words of the API', () => {
    const query: Query = {
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
    expect(toSearch(query)).toEqual({
      age: 'gt.30',
      '"order"': 'is.null',
      name: 'ilike.*ab*',
      or: '(a.eq.1,b.eq.2)',
      order: 'name.desc,"a.b"',
      q: 'liis',
    })
    expect(readQuery(toSearch(query))).toEqual(query)
  })

  test('takes conditions on one column twice, and lists', () => {
    const query: Query = {
      ...empty,
      conditions: [
        { column: 'age', operator: 'gte', value: '1' },
        { column: 'age', operator: 'lt', value: '5' },
        { column: 'city', operator: 'in', value: 'Oslo, Bergen' },
      ],
    }
    expect(toParameters(query)).toBe('age=gte.1&age=lt.5&city=in.(%22Oslo%22%2C%22Bergen%22)')
    expect(readQuery(toSearch(query))).toEqual(query)
  })

  test('leaves out what is no business of the page, and takes numbers of the router for text', () => {
    expect(readQuery(validSearch({ limit: 5, token: 'x', q: 12, offset: 3 }))).toEqual({ ...empty, q: '12' })
  })

  test('comes back as it was, whatever a column is called and whatever is compared', () => {
    const name = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/[".>\\]/.test(text))
    const condition = fc.record({ column: name, operator: fc.constantFrom('eq' as const, 'gt' as const), value: fc.string() })
    fc.assert(
      fc.property(fc.uniqueArray(condition, { selector: ({ column }) => column, maxLength: 4 }), fc.string(), (conditions, q) => {
        const { conditions: back, q: found } = readQuery(toSearch({ ...empty, conditions, q }))
        const order = (list: Query['conditions']) => [...list].sort((one, other) => (one.column < other.column ? -1 : 1))
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
