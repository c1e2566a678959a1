import { computedSource } from '../../../tables/computed-value'
import { identifier } from '../../../tables/ddl'
import type { Column } from '../../../tables/model'
import type { PlannedOutput } from '../plan/types'
import type { StatementWriter } from './statement'

/** Its column, where the value is computed from linked records and shown as it is. */
function computedColumnOf({ value, aggregate }: PlannedOutput): Column | null {
  const isShownAsIs = value?.kind === 'field' && value.cast === undefined && value.field.steps.length === 0 && !aggregate
  return isShownAsIs && value.field.column.computed?.from.length ? value.field.column : null
}

export const isComputedOutput = (output: PlannedOutput): boolean => computedColumnOf(output) !== null

/** The record's own columns that its computed values are found by. */
export const computedBy = (outputs: PlannedOutput[]): string[] => [
  ...new Set(outputs.flatMap((output) => computedColumnOf(output)?.computed?.columns ?? [])),
]

/**
 * What shows outputs of which some are computed: the linked records are read once for all values that come from them.
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
  const sources = new Map<string, { alias: string; values: string[] }>()
  const columns = outputs.map((output) => {
    const computed = computedColumnOf(output)?.computed
    if (!computed) return stored(output)
    const from = computedSource(computed, own)
    const source = sources.get(from) ?? { alias: writer.alias(), values: [] }
    sources.set(from, source)
    const place = source.values.push(computed.value) - 1
    return `${source.alias}.c${place} as ${identifier(output.name)}`
  })
  const joins = [...sources].map(([from, { alias, values }]) => {
    const list = values.map((value, place) => `${value} as c${place}`).join(', ')
    return ` left join (select ${list} ${from}) ${alias} on true`
  })
  return { columns: columns.join(', '), from: ` from (select) ${writer.alias()}${joins.join('')}` }
}
