import { translatable } from '../../../messages/message'
import { identifier } from '../../sql-text'
import { toNumeric } from '../../sql-types'
import type { FormulaOperand } from '../operands'
import type { ListSummary } from '../read-formula'
import type { FunctionCall } from './functions/function'
import { problemAtOffset } from './tokens'
import { columnValue, type FormulaValue, type FormulaValueType, optional, value, wrongType } from './value'

/** A summary that a formula uses, by its name in the source of the formula's values. */
export type UsedSummary = { name: string; column: string; summary: ListSummary; operand: FormulaOperand }

/** The names of the summaries in one formula. */
export class ListSummaries {
  readonly used: UsedSummary[] = []

  constructor(private readonly columns: readonly FormulaOperand[]) {}

  /** @returns null for a column whose values no formula can read */
  valueOf(column: FormulaOperand, at: number): FormulaValue | null {
    const item = columnValue(column, at)
    if (!item) return null
    const summarize = (summary: ListSummary, name: string) => {
      const taken = takenTypes[summary.function]
      if (taken && !taken.includes(item.type)) throw wrongType(item, taken[0]!, name)
      return summaryValue(item, summary, this.nameOf(column, summary, item), column.sqlType)
    }
    return { type: 'list', sql: 'null', filled: 'null', at, list: { item, summarize } }
  }

  private nameOf(column: FormulaOperand, summary: ListSummary, item: FormulaValue): string {
    const same = this.used.find((used) => used.column === column.name && Bun.deepEquals(used.summary, summary))
    if (same) return identifier(same.name)
    let number = this.used.length + 1
    const isTaken = (name: string) => [...this.columns, ...this.used].some((other) => other.name === name)
    while (isTaken(`${summary.function} ${number}`)) number++
    const name = `${summary.function} ${number}`
    this.used.push({ name, column: column.name, summary, operand: summaryOperand(column, name, summary, item) })
    return identifier(name)
  }
}

/** An operand of the types that the SQL has. The formula casts numbers of every type. */
function summaryOperand({ type, sqlType }: FormulaOperand, name: string, summary: ListSummary, item: FormulaValue): FormulaOperand {
  if (summary.function === 'list') return { name, type: 'text', sqlType: 'text' }
  const isSame = (summary.function === 'min' || summary.function === 'max') && item.type !== 'number'
  return isSame ? { name, type, ...(sqlType === undefined ? {} : { sqlType }) } : { name, type: 'decimal', sqlType: 'numeric' }
}

const takenTypes: Record<ListSummary['function'], readonly FormulaValueType[] | null> = {
  ...{
    sum: ['number'],
    avg: ['number'],
    min: ['number', 'date', 'dateTime'],
    max: ['number', 'date', 'dateTime'],
    list: ['text'],
    count: null,
  },
}

function summaryValue({ type, at }: FormulaValue, summary: ListSummary, name: string, sqlType: string | undefined): FormulaValue {
  if (summary.function === 'list') return value('text', at, name)
  const isOneOfThem = summary.function === 'min' || summary.function === 'max'
  const number = toNumeric(name, isOneOfThem ? sqlType : undefined)
  if (summary.function === 'sum' || summary.function === 'count') return value('number', at, number, { isExact: true })
  if (summary.function === 'avg') return value('number', at, number)
  return type === 'number' ? optional('number', at, number, { isExact: true }) : optional(type, at, name, { isUnmoved: true })
}

/** @throws FormulaProblem for a list */
export function requireSingleValue(given: FormulaValue): FormulaValue {
  if (given.type !== 'list') return given
  throw problemAtOffset(
    translatable('names a column with several values; SUM, AVERAGE, MIN, MAX, COUNTA, CONCAT and ARRAYJOIN make one of them'),
    given,
  )
}

/** The arguments with one value for each list. */
export const summarized = (args: readonly FormulaValue[], summary: ListSummary, { name }: FunctionCall): FormulaValue[] =>
  args.map((arg) => arg.list?.summarize(summary, name) ?? arg)
