import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../../src/errors'
import { parseQuery } from '../../../../src/records/query/parse/query'
import { planRead } from '../../../../src/records/query/plan/read'
import { printQuery } from '../../../../src/records/query/print'
import { countStatement, pageStatement, rowsStatement } from '../../../../src/records/query/sql/read'
import { asFormat } from '../../../../src/records/query/sql/statement'
import type { Filter, FilterCondition, Level, RecordQuery } from '../../../../src/records/query/tree'
import type { Tables } from '../../../../src/tables/catalog/catalog'
import { startApp } from '../../../support/app'
import { recordQuery } from '../../../support/arbitrary-query'
import { library } from '../../../support/library'
import { tables as names, queryOf } from '../../../support/library-query'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'lib', DATABASE_POOL_SIZE: '4' })
await app.deps.db.sql.unsafe(library)
let tables: Tables
beforeAll(async () => {
  tables = await app.deps.catalog.refresh()
})

const anyTable = fc.constantFrom(...names)
const anyQuery = anyTable.chain((name) => fc.tuple(fc.constant(name), queryOf(name)))

const planned = (name: string, query: RecordQuery) => {
  try {
    return planRead(tables, tables.byName.get(name)!, { limit: 20, ...query }, { isTotalOrder: true })
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

describe('a query', () => {
  test('of any names becomes a plan or a failure', () => {
    const property = fc.property(anyTable, recordQuery, (name, query) => {
      const plan = planned(name, query)
      if (plan) pageStatement(plan, { isAhead: true })
    })
    fc.assert(property, { numRuns: 2000 })
  })

  test('over HTTP is answered with 200 or refused with 400, and never says a value again', async () => {
    const statuses: Record<number, number> = {}
    const property = fc.asyncProperty(anyQuery, fc.constantFrom('none', 'exact', 'estimated'), async ([name, query], count) => {
      const search = [...printQuery(query), ['count', count] as const].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
      const response = await app.call(`/api/v1/tables/${name}/records?${search}`, { as: 'viewer' })
      const body = await response.text()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      if (![200, 400].includes(response.status)) throw new Error(`${response.status} ${body}\n${decodeURIComponent(search)}`)
    })
    await fc.assert(property, { numRuns: 1500 })
    // Of no use if nearly all were refused.

    expect(statuses[200]).toBeGreaterThan(150)
  })

  test('has no value in the text of its statements', () => {
    const property = fc.property(anyQuery, ([name, query]) => {
      const marked = markLevel(query) as RecordQuery
      const plan = planned(name, marked)
      if (!plan) return
      for (const statement of [pageStatement(plan, { isAhead: true }), rowsStatement(plan), countStatement(plan)]) {
        expect(statement.text).not.toContain('zebra')
        expect(statement.text).not.toMatch(/\b777\d/)
      }
    })
    fc.assert(property, { numRuns: 1500 })
  })

  test('has a statement that only its shape decides', () => {
    const property = fc.property(anyQuery, ([name, query]) => {
      const [one, other] = [planned(name, query), planned(name, changedValues(query) as RecordQuery)]
      if (one && other) expect(pageStatement(one).text).toBe(pageStatement(other).text)
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('that spreads several columns of many records reads each of them in one order, last by the key', () => {
    const orderOf = (search: string) => planned('authors', parseQuery(search, 'native'))!.embeddings[0]!.order.map(({ label }) => label)
    const books = '...books!books_author_id_fkey'
    expect(orderOf(`select=${books}(title,price)`)).toEqual(['id asc'])
    expect(orderOf(`select=${books}(title,price)&books.order=price.desc`)).toEqual(['price desc first', 'id desc'])
    expect(orderOf(`select=${books}(title)`)).toEqual([])
  })

  test('means the same as a format with its values in it, for COPY', async () => {
    const property = fc.asyncProperty(anyQuery, async ([name, query]) => {
      const plan = planned(name, query)
      if (!plan) return
      const statement = rowsStatement(plan)
      const read = (text: string, parameters: (string | null)[] = []) =>
        app.deps.db.sql.unsafe(`select json_agg(x.*)::text as all from (${text}) x`, parameters as string[], { prepare: false }).then(
          ([row]) => row!.all,
          // Which of two things that are wrong PostgreSQL names depends on whether it knows a value's type (42883 or
          // 22P02).
          (error) => `refused: ${error.code.slice(0, 2).replace('42', '22')}`,
        )
      const list = statement.parameters.map((_, index) => `, $${index + 2}::text`).join('')
      const [formatted] = await app.deps.db.query<{ text: string }>(
        `select format($1::text${list}) as text`,
        [asFormat(statement), ...statement.parameters],
        {
          prepare: false,
        },
      )
      expect(await read(formatted!.text)).toEqual(await read(statement.text, statement.parameters))
    })
    await fc.assert(property, { numRuns: 300 })
  })
})

/** Every value becomes one that would be found. */
const markFilter = (filter: Filter): Filter => {
  if (filter.kind === 'linked') return { ...filter, condition: markCondition(filter.condition) }
  return filter.kind === 'condition' ? markCondition(filter) : { ...filter, filters: filter.filters.map(markFilter) }
}

function markCondition({ operator, value, ...filter }: FilterCondition): FilterCondition {
  if (typeof value !== 'string') return { ...filter, operator, value: value.map((each) => `zebra${each}`) }
  return { ...filter, operator, value: operator === 'is' ? value : `zebra${value}` }
}

const markLevel = <Marked extends Level>(level: Marked): Marked => ({
  ...level,
  filters: level.filters.map(markFilter),
  limit: level.limit === undefined ? undefined : 7770 + level.limit,
  offset: level.offset === undefined ? undefined : 7780 + level.offset,
  embedded: Object.fromEntries(Object.entries(level.embedded).map(([name, inner]) => [name, markLevel(inner)])),
})

const changeFilter = (filter: Filter): Filter => {
  if (filter.kind === 'linked') return { ...filter, condition: changeCondition(filter.condition) }
  return filter.kind === 'condition' ? changeCondition(filter) : { ...filter, filters: filter.filters.map(changeFilter) }
}

const changeCondition = (filter: FilterCondition): FilterCondition => ({
  ...filter,
  value: typeof filter.value === 'string' ? (filter.operator === 'is' ? filter.value : '1') : ['1', '2', '3'],
})

const changedValues = <Changed extends Level>(level: Changed): Changed => ({
  ...level,
  filters: level.filters.map(changeFilter),
  embedded: Object.fromEntries(Object.entries(level.embedded).map(([name, inner]) => [name, changedValues(inner)])),
})
