import { computedSource } from '../../../tables/computed-value'
import { identifier } from '../../../tables/ddl'
import type { Column } from '../../../tables/model'
import type { PlannedOutput } from '../plan/types'
import { bindCaller } from './rules'
import type { StatementWriter } from './statement'

/** The column of an output that shows a computed value unchanged; otherwise null. */
function computedColumnOf({ value, aggregate }: PlannedOutput): Column | null {
  const isShownAsIs = value?.kind === 'field' && value.cast === undefined && value.field.steps.length === 0 && !aggregate
  if (!isShownAsIs) return null
  const { column } = value.field
  return column.computed?.from.length && !column.access?.visibleIn ? column : null
}

export const isComputedOutput = (output: PlannedOutput): boolean => computedColumnOf(output) !== null

/** The record's own columns that its computed values need. */
export const computedBy = (outputs: PlannedOutput[]): string[] => [
  ...new Set(outputs.flatMap((output) => computedColumnOf(output)?.computed?.columns ?? [])),
]

/**
 * Writes outputs, some of which are computed: the linked records are read once for all values that come from them.
 * `from` follows a select without tables of its own.
 * @param own SQL of a column of the record itself
 * @param stored the text of an output that is not computed
 */
export function outputsWithComputed(
  writer: StatementWriter,
  own: (name: string) => string,
  outputs: PlannedOutput[],
  stored: (output: PlannedOutput) => string,
): { columns: string; from: string } {
  const sources = new Map<string, { alias: string; from: string; values: string[] }>()
  const columns = outputs.map((output) => {
    const computed = computedColumnOf(output)?.computed
    if (!computed) return stored(output)
    const from = bindCaller(writer, computedSource(computed, own), computed.caller)
    // A count of linked records and a value of a single linked record cannot be in one select list.
    const key = `${computed.isAggregated ?? false} ${from}`
    const source = sources.get(key) ?? { alias: writer.alias(), from, values: [] }
    sources.set(key, source)
    const place = source.values.push(bindCaller(writer, computed.value, computed.caller)) - 1
    return `${source.alias}.c${place} as ${identifier(output.name)}`
  })
  const joins = [...sources.values()].map(({ alias, from, values }) => {
    const list = values.map((value, place) => `${value} as c${place}`).join(', ')
    return ` left join (select ${list} ${from}) ${alias} on true`
  })
  return { columns: columns.join(', '), from: ` from (select) ${writer.alias()}${joins.join('')}` }
}
