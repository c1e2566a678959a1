import type { Pair } from './parse/pairs'
import type { FilterOperator } from './tree'

/**
 * A query without the values of its plain filters: `age=gte.18&order=id` and `age=gte.21&order=id` have the same shape.
 * Two queries have the same `key` exactly if they differ only in such values.
 */
export type QueryShape = { key: string; values: ShapeValue[] }

/** `place` counts the parameters of the query from 0. */
export type ShapeValue = { place: number; operator: FilterOperator; text: string }

/** Filters whose value is everything after the operator, and becomes one parameter of the statement. */
const plainFilter = /^((?:not\.)?(eq|neq|gte?|lte?|i?like|i?match)\.)([\s\S]*)$/

/** @param isLeftOut a parameter that does not affect the result, such as a credential */
export function shapeOf(pairs: readonly Pair[], isLeftOut: (name: string) => boolean = () => false): QueryShape {
  const values: ShapeValue[] = []
  let key = ''
  for (let place = 0; place < pairs.length; place++) {
    const [name, value] = pairs[place]!
    if (isLeftOut(name)) continue
    const found = plainFilter.exec(value)
    // With the lengths first, no name or value can be mistaken for the end of another.
    if (!found) key += `${name.length}:${name}${value.length}:${value}`
    else {
      key += `${name.length}:${name}*${found[1]}`
      values.push({ place, operator: found[2] as FilterOperator, text: found[3]! })
    }
  }
  return { key, values }
}
