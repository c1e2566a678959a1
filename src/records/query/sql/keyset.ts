import { operator } from '../../../db/search-path'
import type { OrderPlan } from '../plan/types'
import { familyOf } from '../type-families'
import { columnValueText } from './level'
import type { StatementWriter } from './statement'

/**
 * The rows after a given row in an order, in consecutive parts: each is a range of an index on the order, so a page
 * deep in the table costs as much as the first one. The first `shared` terms are equal to the row's; after them, `from`
 * to `to` are compared as a row, or the term `from` is null.
 */
type Part = { shared: number; kind: 'beyond' | 'notNull' | 'null'; from: number; to: number }

type Values = readonly (string | null)[]

/** In an ascending order of columns that are never null: the single part `(a, b, id) > (…)`. */
export function keysetParts(order: OrderPlan[], after: Values): Part[] {
  const parts: Part[] = []
  for (let index = order.length - 1; index >= 0; index--) {
    for (const part of partsOfTerm(order, after, index)) {
      const last = parts.at(-1)
      if (last && canMerge(order, last, part)) parts[parts.length - 1] = { ...part, to: last.to }
      else parts.push(part)
    }
  }
  return parts
}

/** From the innermost term outwards: first the rows that share all terms before it. */
function partsOfTerm(order: OrderPlan[], after: Values, index: number): Part[] {
  const { nulls, isNullable } = order[index]!
  const part = { shared: index, from: index, to: index }
  if (after[index] === null) return nulls === 'first' ? [{ ...part, kind: 'notNull' }] : []
  return [{ ...part, kind: 'beyond' }, ...(isNullable && nulls === 'last' ? [{ ...part, kind: 'null' as const }] : [])]
}

const canMerge = (order: OrderPlan[], inner: Part, outer: Part): boolean =>
  inner.kind === 'beyond' &&
  outer.kind === 'beyond' &&
  inner.from === outer.from + 1 &&
  order[inner.from]!.direction === order[outer.from]!.direction &&
  order[inner.from]!.operatorSchema === order[outer.from]!.operatorSchema

export function partConditions(writer: StatementWriter, alias: string, order: OrderPlan[], after: Values, part: Part): string[] {
  const value = (index: number) => columnValueText(writer, alias, order[index]!.value)
  const parameter = (index: number) => writer.parameter(after[index]!, order[index]!.type)
  const shared = Array.from({ length: part.shared }, (_, index) =>
    after[index] === null
      ? nullText(value(index), order[index]!, true)
      : `${value(index)} ${operator('=', order[index]!.operatorSchema)} ${parameter(index)}`,
  )
  if (part.kind !== 'beyond') return [...shared, nullText(value(part.from), order[part.from]!, part.kind === 'null')]
  const compared = Array.from({ length: part.to - part.from + 1 }, (_, index) => part.from + index)
  const { direction, operatorSchema } = order[part.from]!
  const beyond = operator(direction === 'asc' ? '>' : '<', operatorSchema)
  const row = (texts: string[]) => (texts.length === 1 ? texts[0] : `(${texts.join(', ')})`)
  return [...shared, `${row(compared.map(value))} ${beyond} ${row(compared.map(parameter))}`]
}

/**
 * For a composite value `is null` tests its fields. An index is used only for a plain `is null`, so types known not to
 * be composite omit the rest.
 */
function nullText(value: string, { type }: OrderPlan, isNull: boolean): string {
  if (familyOf(type) === 'other') return `${value} is ${isNull ? 'not ' : ''}distinct from null`
  return `${value} is ${isNull ? '' : 'not '}null`
}
