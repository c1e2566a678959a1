import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { rejectUnsupported } from '../../records/query/parameters'
import type { Pair } from '../../records/query/parse/pairs'
import { parseQuery } from '../../records/query/parse/query'
import { planField } from '../../records/query/plan/fields'
import { planRead } from '../../records/query/plan/read'
import type { PlannedCondition } from '../../records/query/plan/types'
import type { RecordQuery } from '../../records/query/tree'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'

/** The records and columns of one table that a listener subscribes to. */
export type FeedFilter = {
  /** Null for all columns. */
  names: readonly string[] | null
  /** The condition on a record; null for every record. @throws Failure invalid_request, forbidden */
  condition: (tables: Tables, table: Table) => PlannedCondition | null
}

/** @throws Failure invalid_request */
export function readFeedFilter(pairs: readonly Pair[]): FeedFilter | null {
  if (pairs.length === 0) return null
  const query = parseQuery(pairs, 'native')
  rejectUnsupported(query, 'filters', 'select')
  const names = selectedNames(query)
  const whole: RecordQuery = { ...query, select: [{ kind: 'all' }] }
  const condition = (tables: Tables, table: Table) => {
    for (const name of names ?? []) planField(table, { name, steps: [] })
    return planRead(tables, table, whole).condition
  }
  return { names, condition }
}

function selectedNames({ select }: RecordQuery): string[] | null {
  if (select.some(({ kind }) => kind === 'all')) return null
  return select.map((item) => {
    const isPlain = item.kind === 'column' && item.column.steps.length === 0 && !item.alias && !item.cast && !item.aggregate
    if (isPlain) return item.column.name
    throw invalidRequest(translatable('Here "select" accepts only names of columns.'))
  })
}
