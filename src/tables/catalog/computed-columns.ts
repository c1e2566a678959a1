import { translatable } from '../../messages/message'
import { columnTypes } from '../column-types'
import type { LinkedFilter, RollupFunction } from '../column-types/computed'
import { decimalsOf } from '../column-types/descriptors'
import { maxShownLinks } from '../column-types/links'
import { computedText } from '../computed-value'
import type { Column, Table } from '../model'
import { conditionAt } from '../row-rules'
import { identifier, literal } from '../sql-text'
import { toNumeric } from '../sql-types'
import { linkedCondition } from './links/linked-conditions'
import { type LinkedSource, linkedRecords, NoValues, type TableIndex } from './links/linked-records'

/** The parts of a virtual column's definition. */
export type ComputedColumn = Partial<Pick<Column, 'computed' | 'joinTable' | 'operatorSchema' | 'isWritable'>> &
  Pick<Column, 'sqlType' | 'comparedAs' | 'reads'> & {
    depth: number
    /** The options that responses contain. */
    shown?: ShownOptions
  }

type ShownOptions = Column['options'] & { valueType: Column['type']; isMany?: true }

/** The maximum length of the SQL of one value, in characters. Each condition on a computed column repeats its SQL. */
export const maxValueLength = 50_000

/** A column of the linked records, and the SQL of its value in the record with the alias. */
type LinkedValue = { column: Column; text: string; shown: ShownOptions }

/** Finds a column of any table by its id, resolved. @throws NoValues */
export type Resolve = (table: Table, columnId: string) => ResolvedColumn

/** `depth` counts the nested levels of computed columns; 0 for a column that PostgreSQL has. */
export type ResolvedColumn = { column: Column; depth: number }

/** A lookup, rollup or count. @throws NoValues */
export function computedColumn(index: TableIndex, table: Table, column: Column, resolve: Resolve): ComputedColumn {
  const { type, options } = column
  const link = resolve(table, String(options.link)).column
  // The columns of the linked records are found in their own table, whatever the alias is.
  const target = linkedRecords(index, table, link, '')?.target
  if (!target) throw new NoValues(translatable('"{name}" is not a link to records that can be read.', { name: link.name }))
  const read = type === 'count' ? null : resolve(target, String(options.column))
  const filters = ((options.filter ?? []) as LinkedFilter[]).map((filter) => ({ filter, ...resolve(target, filter.column) }))
  const columns = [...(read ? [read] : []), ...filters]
  const depth = 1 + Math.max(0, ...columns.map((found) => found.depth))
  // The columns that it reads have smaller numbers, so that no alias hides the alias with which it is joined.
  const alias = `x${depth}`
  const linked = linkedRecords(index, table, link, alias)!
  const types = (options.filterTypes ?? {}) as Record<string, string>
  const conditions = filters.map((filtered) => linkedCondition(filtered.filter, filtered.column, valueText(filtered.column, alias), types))
  const { comparedAs, value, ...rest } = computation(column, linked, conditions, read && linkedValue(read.column, alias))
  if (value.length > maxValueLength)
    throw new NoValues(translatable('It reads too many other computed columns; use fewer conditions on them.'))
  const reads = [...new Set([target.id, ...columns.flatMap((found) => found.column.reads ?? [])])]
  const isAggregated = type !== 'lookup' || linked.isMany
  const isTimed = columns.some((found) => found.column.computed?.isTimed)
  const growth = (read?.column.computed?.growth ?? 1) * (options.function === 'list' ? maxShownLinks : 1)
  const beside = { ...(isTimed ? { isTimed } : {}), ...(growth > 1 ? { growth } : {}) }
  const computed = { from: linked.from, columns: linked.columns, value, isAggregated, ...beside }
  return { ...rest, comparedAs: comparedAs ?? rest.sqlType, computed, depth, reads }
}

function computation({ type, options }: Column, linked: LinkedSource, conditions: string[], value: LinkedValue | null): Computation {
  if (value && type === 'lookup') return lookupOf(linked, value)
  if (value) return rollupOf(options.function as RollupFunction, linked, value, conditions, options.separator as string | undefined)
  return { sqlType: 'bigint', value: `pg_catalog.count(*)${filterText(conditions)}`, shown: { valueType: 'bigint' } }
}

function linkedValue(column: Column, alias: string): LinkedValue {
  if (column.joinTable || column.type === 'attachment')
    throw new NoValues(translatable('Files and links to several records have no single value to read.'))
  return { column, text: valueText(column, alias), shown: shownOptionsOf(column) }
}

const filterText = (conditions: string[]): string => (conditions.length ? ` filter (where ${conditions.join(' and ')})` : '')

function valueText(column: Column, alias: string): string {
  const value = column.computed ? computedText(column.computed, alias) : `${alias}.${identifier(column.name)}`
  const isVisible = column.access?.visibleIn && conditionAt(column.access.visibleIn, alias)
  return isVisible ? `(case when ${isVisible} then ${value} end)` : value
}

/**
 * The type of the values, resolved for formulas and other computed columns, and the options that clients need to show
 * them.
 */
function shownOptionsOf({ type, options }: Column): ShownOptions {
  const { valueType, table, choices } = options
  const ofType = (valueType as Column['type'] | undefined) ?? type
  const decimals = decimalsOf(options)
  const shown = {
    valueType: ofType,
    ...displayOptionsOf(ofType, options),
    ...(decimals === undefined ? {} : { sourceDecimals: decimals }),
    ...(options.isMany === true ? { isMany: true as const } : {}),
  }
  if (shown.valueType === 'link') return { ...shown, table }
  return ['select', 'multiSelect'].includes(shown.valueType) ? { ...shown, choices } : shown
}

/** The display options of the column, except `decimals`, which the column that reads it may also have. */
function displayOptionsOf(type: Column['type'], options: Column['options']): Column['options'] {
  const ofType = type === 'rating' ? ['max'] : type === 'decimal' || type === 'currency' ? ['scale'] : []
  const names = [...(columnTypes[type].displayOptions ?? []), 'currency', ...ofType]
  return Object.fromEntries(names.filter((name) => name !== 'decimals' && options[name] !== undefined).map((name) => [name, options[name]]))
}

/** The types whose sum has the same type. A sum of ratings is a plain number. */
const summed: readonly Column['type'][] = ['currency', 'percent', 'duration']

type Computation = { sqlType: string; comparedAs?: string; operatorSchema?: string; value: string; shown: ShownOptions }

function lookupOf({ isMany, order }: LinkedSource, { column, text, shown }: LinkedValue): Computation {
  const { sqlType, comparedAs, operatorSchema } = column
  if (!isMany) return { sqlType, comparedAs, ...(operatorSchema === undefined ? {} : { operatorSchema }), value: text, shown }
  // PostgreSQL treats an array of arrays as a matrix, whose rows would all need the same length.
  const isNested = comparedAs.endsWith('[]')
  const element = isNested ? 'jsonb' : comparedAs
  const item = isNested ? `pg_catalog.to_jsonb(${text})` : text
  const values = `(pg_catalog.array_agg(${item} order by ${order}) filter (where ${text} is not null))[1:${maxShownLinks}]`
  return {
    sqlType: `${element}[]`,
    value: `coalesce(${values}, '{}')::${element}[]`,
    shown: { ...(isNested ? { valueType: 'json' as const } : shown), isMany: true },
  }
}

const numbers: Record<string, { sum: string; avg: string }> = {
  smallint: { sum: 'bigint', avg: 'numeric' },
  integer: { sum: 'bigint', avg: 'numeric' },
  bigint: { sum: 'numeric', avg: 'numeric' },
  numeric: { sum: 'numeric', avg: 'numeric' },
  // A sum may exceed the range of these types, and then no record could be read.
  real: { sum: 'numeric', avg: 'numeric' },
  'double precision': { sum: 'numeric', avg: 'numeric' },
}
const sumTypes: Record<string, Column['type']> = { bigint: 'bigint', numeric: 'decimal' }
const ordered = new Set([
  'text',
  'character varying',
  'date',
  'time without time zone',
  'timestamp with time zone',
  'timestamp without time zone',
])

function rollupOf(
  name: RollupFunction,
  { order }: LinkedSource,
  { column, text, shown }: LinkedValue,
  conditions: string[],
  separator = ', ',
): Computation {
  const { comparedAs, operatorSchema } = column
  if (name === 'list') {
    const isThere = filterText([...conditions, `${text} is not null`])
    const values = `(pg_catalog.array_agg(${text}::text order by ${order})${isThere})[1:${maxShownLinks}]`
    return {
      sqlType: 'text',
      value: `coalesce(pg_catalog.array_to_string(${values}, ${literal(separator)}), '')`,
      shown: { valueType: 'text' },
    }
  }
  const number = numbers[comparedAs]
  const added = number?.sum === 'numeric' && name !== 'min' && name !== 'max' ? toNumeric(text, comparedAs) : text
  const value = `pg_catalog.${name}(${added})${filterText(conditions)}`
  if (name === 'min' || name === 'max') {
    const isOrdered = operatorSchema === undefined && (number !== undefined || ordered.has(comparedAs))
    if (!isOrdered) throw new NoValues(translatable('"{name}" has no smallest or largest value.', { name: column.name }))
    return { sqlType: comparedAs, value, shown }
  }
  if (!number)
    throw new NoValues(
      name === 'sum'
        ? translatable('"{column}" holds no numbers, so it has no sum.', { column: column.name })
        : translatable('"{column}" holds no numbers, so it has no average.', { column: column.name }),
    )
  const sqlType = number[name]
  // An average has more decimal places than its values.
  const { scale: _, ...average } = shown
  const amount = name === 'avg' ? average : shown
  return {
    sqlType,
    value: `${name === 'sum' ? `coalesce(${value}, 0)` : value}::${sqlType}`,
    shown: summed.includes(shown.valueType) ? amount : { valueType: sumTypes[sqlType]! },
  }
}
