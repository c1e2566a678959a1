import type { TableView } from '../../../../tables/model'
import { toText } from '../../values/exact-json'
import { toColumnName } from '../filters/filter-grammar'
import type { FilterItem } from '../filters/filter-operators'
import { operatorsFor, type RuleOperator } from '../filters/filter-operators'
import { cellKind } from '../values/cell-kinds'
import type { GridColumn } from '../values/cell-values'
import { fetchPage } from './first-page'
import { type ListQuery, queryStringFor } from './list-query'

/** The ways to summarize a column. */
export type SummaryName = 'empty' | 'filled' | 'unique' | 'checked' | 'unchecked' | 'sum' | 'average' | 'min' | 'max'

/** The functions of the API. */
const aggregates: Partial<Record<SummaryName, string>> = { sum: 'sum', average: 'avg', min: 'min', max: 'max' }

const emptyOperators: readonly RuleOperator[] = ['isBlank', 'isNull', 'isEmptyList']
const filledOperators: readonly RuleOperator[] = ['isNotBlank', 'isNotNull', 'isNotEmptyList']

const operatorOf = (column: GridColumn, wanted: readonly RuleOperator[]): RuleOperator | undefined =>
  operatorsFor(cellKind(column), column.type).find((operator) => wanted.includes(operator))

export function summariesFor(column: GridColumn): SummaryName[] {
  const kind = cellKind(column)
  if (!operatorOf(column, emptyOperators)) return []
  if (kind === 'boolean') return ['checked', 'unchecked', 'empty', 'filled']
  if (['multiSelect', 'manyLinks', 'json'].includes(kind) || column.options.isMany) return ['empty', 'filled']
  const counts: SummaryName[] = ['empty', 'filled', 'unique']
  if (kind === 'number') return [...counts, ...(column.type === 'autoNumber' ? [] : (['sum', 'average'] as const)), 'min', 'max']
  return ['date', 'dateTime', 'time'].includes(kind) ? [...counts, 'min', 'max'] : counts
}

const ruleOf: Partial<Record<SummaryName, (column: GridColumn) => RuleOperator | undefined>> = {
  empty: (column) => operatorOf(column, emptyOperators),
  filled: (column) => operatorOf(column, filledOperators),
  unique: (column) => operatorOf(column, filledOperators),
  checked: () => 'isTrue',
  unchecked: () => 'isFalse',
}

/** The query string for the records of a list that meet a condition on a column. */
function conditionFor(table: TableView, query: ListQuery, column: GridColumn, operator: RuleOperator | undefined): string {
  const items: FilterItem[] = query.filter.items.length ? [query.filter] : []
  if (operator) items.push({ kind: 'rule', column: column.name, operator, values: [] })
  return queryStringFor({ ...query, sort: [], filter: { kind: 'group', join: 'and', items } }, table)
}

/**
 * Lets the service summarize a column over all records of a list.
 * @returns a JSON number, or a date or time as the API writes it; '' without values
 * @throws errors of the request
 */
export async function fetchColumnSummary(table: TableView, query: ListQuery, column: GridColumn, summary: SummaryName): Promise<string> {
  const condition = conditionFor(table, query, column, ruleOf[summary]?.(column))
  const name = toColumnName(column.name)
  const aggregate = aggregates[summary]
  if (aggregate) {
    const { records } = await fetchPage(table.id, [condition, selectOf(`summary:${name}.${aggregate}()`), 'limit=1'])
    return toText(records[0]?.summary)
  }
  // The total counts groups instead of records, so each distinct value counts once.
  const groups = summary === 'unique' ? selectOf(`${name},summary_count:count()`) : ''
  const { totalCount } = await fetchPage(table.id, [condition, groups, 'limit=1', 'count=exact'])
  return String(totalCount ?? '')
}

const selectOf = (items: string): string => `select=${encodeURIComponent(items)}`

/** Statistics of numbers over all records of a list. */
export type ColumnStatistics = { filled: number; sum: string; min: string; max: string }

/**
 * Statistics of several columns in one request. The sum of a column without numbers is ''.
 * @throws errors of the request
 */
export async function fetchStatistics(table: TableView, query: ListQuery, columns: readonly GridColumn[]): Promise<ColumnStatistics[]> {
  const items = columns.flatMap((column, index) => {
    const name = toColumnName(column.name)
    const functions = cellKind(column) === 'number' ? ['count', 'sum', 'min', 'max'] : ['count']
    return functions.map((each) => `${each}${index}:${name}.${each}()`)
  })
  const { records } = await fetchPage(table.id, [queryStringFor({ ...query, sort: [] }, table), selectOf(items.join(',')), 'limit=1'])
  const value = (name: string) => toText(records[0]?.[name])
  return columns.map((_column, index) => ({
    filled: Number(value(`count${index}`)),
    sum: value(`sum${index}`),
    min: value(`min${index}`),
    max: value(`max${index}`),
  }))
}
