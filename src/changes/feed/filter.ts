import type { Db } from '../../db/pool/open'
import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import { rejectUnsupported } from '../../records/query/parameters'
import type { Pair } from '../../records/query/parse/pairs'
import { parseQuery } from '../../records/query/parse/query'
import { planField } from '../../records/query/plan/fields'
import { planRead } from '../../records/query/plan/read'
import type { ReadPlan } from '../../records/query/plan/types'
import { constantTexts } from '../../records/query/sql/constants'
import { startStatement } from '../../records/query/sql/statement'
import type { RecordQuery } from '../../records/query/tree'
import { throwReadFailure } from '../../records/store/errors'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'

/** The records and columns of one table that a listener subscribes to. */
export type FeedFilter = {
  /** Null for all columns. */
  names: readonly string[] | null
  /** With the condition on a record; null for every record. @throws Failure invalid_request, forbidden */
  plan: (tables: Tables, table: Table) => ReadPlan
}

/** @throws Failure invalid_request */
export function readFeedFilter(pairs: readonly Pair[]): FeedFilter | null {
  if (pairs.length === 0) return null
  const query = parseQuery(pairs, 'native')
  rejectUnsupported(query, 'filters', 'select')
  const names = selectedNames(query)
  const whole: RecordQuery = { ...query, select: [{ kind: 'all' }] }
  const plan = (tables: Tables, table: Table) => {
    for (const name of names ?? []) planField(table, { name, steps: [] })
    return planRead(tables, table, whole)
  }
  return { names, plan }
}

/** Otherwise only the first change would reveal that PostgreSQL cannot read a value. @throws Failure invalid_request */
export async function requireReadableValues({ query }: Pick<Db, 'query'>, plan: ReadPlan): Promise<void> {
  const writer = startStatement()
  const texts = constantTexts(plan, writer.parameter)
  if (texts.length === 0) return
  // A select list has at most 1664 expressions. The count makes PostgreSQL compute all of them.
  const text = `select pg_catalog.count(v) from (values ${texts.map((each) => `((${each}) is null)`).join(', ')}) t (v)`
  await query(text, writer.parameters, { prepare: false }).catch((error) => throwReadFailure(error, plan))
}

function selectedNames({ select }: RecordQuery): string[] | null {
  if (select.some(({ kind }) => kind === 'all')) return null
  return select.map((item) => {
    const isPlain = item.kind === 'column' && item.column.steps.length === 0 && !item.alias && !item.cast && !item.aggregate
    if (isPlain) return item.column.name
    throw invalidRequest(translatable('Here "select" accepts only names of columns.'))
  })
}
