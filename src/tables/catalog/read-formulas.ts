import { translatable } from '../../messages/message'
import type { LinkedFilter } from '../column-types/computed'
import { type ComputedValue, computedSource } from '../computed-value'
import { clockName } from '../formulas/language/clock'
import { operandKind } from '../formulas/operand-kind'
import type { FormulaUse, ListSummary } from '../formulas/read-formula'
import { formulaSqlType } from '../formulas/value-types'
import type { Column, Table } from '../model'
import { identifier } from '../sql-text'
import { type ComputedColumn, computedColumn, maxValueLength, type Resolve, type ResolvedColumn } from './computed-columns'
import { linkedRecords, NoValues, type TableIndex } from './links/linked-records'

/** The maximum ratio of the length of a text, through all formulas, to the longest text that it is made of. */
const maxReadGrowth = 10_000
/** Longer texts are truncated for a formula, so that its result stays below PostgreSQL's limit of 1 GB. */
const maxTextBytes = 50_000
/** UTF-8 has at most four bytes for each character. */
const maxCharacters = 12_000

type Operand = FormulaUse & ResolvedColumn

/** A formula that is computed at each read, since it depends on more than stored values. @throws NoValues */
export function formulaColumn(index: TableIndex, table: Table, { readFormula }: Column, resolve: Resolve): ComputedColumn {
  if (!readFormula) throw new NoValues(translatable('It has no SQL; save the formula again.'))
  const { sql, uses, growth, valueType, isTimed: hasClock } = readFormula
  const operands = uses.map((use) => operandOf(index, table, use, resolve))
  const depth = 1 + Math.max(0, ...operands.map((operand) => operand.depth))
  const total = growth * Math.max(1, ...operands.map(({ column }) => column.computed?.growth ?? 1))
  if (total > maxReadGrowth) throw new NoValues(translatable('Its texts may become too long through the formulas that it uses.'))
  const isTimed = hasClock || operands.some(({ column }) => column.computed?.isTimed)
  const computed = { ...sourceOf(operands, hasClock, `f${depth}`), value: sql, growth: total, ...(isTimed ? { isTimed } : {}) }
  if (computedSource(computed, () => '').length + sql.length > maxValueLength)
    throw new NoValues(translatable('Its SQL is too long to be computed at each read; use a shorter formula, or fewer computed columns.'))
  const sqlType = formulaSqlType(valueType)
  const reads = [...new Set(operands.flatMap(({ column }) => column.reads ?? []))]
  return { sqlType, comparedAs: sqlType, computed, depth, reads, shown: { valueType } }
}

function operandOf(index: TableIndex, table: Table, use: FormulaUse, resolve: Resolve): Operand {
  const found = resolve(table, use.id)
  const { column } = found
  if (operandKind(column) !== use.type)
    throw new NoValues(translatable('The formula was made for another type of "{name}".', { name: column.name }))
  return { ...use, ...(use.summary ? summaryOf(index, table, column, use.summary, resolve) : found) }
}

/** A rollup of the values of a lookup: over all linked records, including those that the lookup does not show. */
function summaryOf(index: TableIndex, table: Table, lookup: Column, summary: ListSummary, resolve: Resolve): ResolvedColumn {
  const { link, column: read } = lookup.options
  const source = linkedRecords(index, table, resolve(table, String(link)).column, '')
  if (source && !source.isMany && resolve(source.target, String(read)).column.options.isMany)
    throw new NoValues(translatable('A formula cannot read "{name}", whose values are lists of their own.', { name: lookup.name }))
  const filter: LinkedFilter[] = [{ column: String(read), operator: 'is', value: 'not_null' }]
  if (/^(text|character varying|character)\[\]$/.test(lookup.comparedAs)) filter.push({ column: String(read), operator: 'neq', value: '' })
  const rollup: Column =
    summary.function === 'count'
      ? { ...lookup, type: 'count', options: { link, filter } }
      : { ...lookup, type: 'rollup', options: { link, column: read, ...summary } }
  const { depth, shown: _, ...value } = computedColumn(index, table, rollup, resolve)
  return { column: { ...rollup, ...value }, depth }
}

/** SQL text, or a place for one of the record's own columns. */
type Piece = string | { own: string }

/** A row with the values that the formula uses, each computed once, whatever the formula does with them. */
function sourceOf(operands: readonly Operand[], hasClock: boolean, alias: string): Pick<ComputedValue, 'from' | 'columns'> {
  const values = operands.flatMap(({ column, name }, at): Piece[] => [
    at === 0 ? '' : ', ',
    ...valuePieces(column),
    ` as ${identifier(name)}`,
  ])
  const isComputed = operands.some(({ column }) => column.computed)
  // PostgreSQL would copy the subqueries to every place where the formula names a value, and run each copy.
  const inner: Piece[] = ['(select ', ...values, isComputed ? ' offset 0)' : ')']
  const clock = `pg_catalog.transaction_timestamp() as ${identifier(clockName)}`
  const checked = operands.map(({ column, name }) => `${withinLimits(column, `s.${identifier(name)}`)} as ${identifier(name)}`)
  const outer = [...checked, ...(hasClock ? [clock] : [])].join(', ')
  return split(['from (select ', outer, ...(operands.length > 0 ? [' from ', ...inner, ' s'] : []), `) ${alias}`])
}

function valuePieces({ name, computed }: Column): Piece[] {
  if (!computed) return [{ own: name }]
  if (computed.from.length === 0) return [`(${computed.value})`]
  const source = computed.from.flatMap((text, place): Piece[] => [
    text,
    ...(place < computed.columns.length ? [{ own: computed.columns[place]! }] : []),
  ])
  return [`(select ${computed.value} `, ...source, ')']
}

/** A value that is limited so that no formula leaves the range of its type, because then no record could be read. */
function withinLimits({ sqlType }: Column, value: string): string {
  if (/^numeric\b/.test(sqlType)) {
    const rounded = `case when pg_catalog.scale(${value}) operator(pg_catalog.<=) 300 then ${value} else pg_catalog.round(${value}, 300) end`
    return `case when pg_catalog.abs(${value}) operator(pg_catalog.<) 1e300 then ${rounded} end`
  }
  if (/^(text|character|citext)(?!.*\[\]$)/.test(sqlType))
    return `case when pg_catalog.octet_length(${value}) operator(pg_catalog.<=) ${maxTextBytes} then ${value} else pg_catalog.left(${value}, ${maxCharacters}) end`
  if (!(sqlType === 'date' || sqlType.startsWith('timestamp'))) return value
  const [least, most] = [`'0001-01-01'::${sqlType}`, `'10000-01-01'::${sqlType}`]
  const isUsual = `${value} operator(pg_catalog.>=) ${least} and ${value} operator(pg_catalog.<) ${most}`
  return `case when ${isUsual} or not pg_catalog.isfinite(${value}) then ${value} end`
}

/** @returns the texts, and the columns between them */
function split(pieces: readonly Piece[]): Pick<ComputedValue, 'from' | 'columns'> {
  const from = ['']
  const columns: string[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') from.push(from.pop()! + piece)
    else {
      columns.push(piece.own)
      from.push('')
    }
  }
  return { from, columns }
}
