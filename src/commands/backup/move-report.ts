import { megabytes } from '../../backup/disk-space'
import { describePlace } from '../../backup/move/state'
import type { MovePlan, MoveTask } from '../../backup/move/task'

/** The summary that the command prints before it writes anything. */
export function describeMovePlan({ from, to }: Pick<MoveTask, 'from' | 'to'>, plan: MovePlan): string {
  const { tables, schemas, definitions, facts, isBegun, sourceCollation } = plan
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const keyless = tables.filter(({ key }) => key.length === 0).map((table) => `${table.name} (${megabytes(table.bytes)})`)
  return [
    `${isBegun ? 'Continues moving' : 'Moves'} ${describePlace(from)} to ${describePlace(to)} (PostgreSQL ${facts.versionText}): ${tables.length} tables of the schemas ${schemas.join(', ')}, ${megabytes(bytes)} with indexes, which takes about as much room there.`,
    `All of it will belong to the role "${facts.role}".`,
    ...(facts.collation === sourceCollation
      ? []
      : [`Text without its own collation is sorted as in that database (${facts.collation}), not as here (${sourceCollation}).`]),
    ...(keyless.length === 0
      ? []
      : [`Tables without a primary key, which are copied again at the switch if they change: ${keyless.join(', ')}.`]),
    ...(definitions.left.length === 0 ? [] : [`Not moved: ${definitions.left.join('; ')}.`]),
  ].join('\n')
}

export type DoneMove = { place: string; tables: number; rows: number; switchMs: number; comparedKeys: number; seconds: number }

export const describeMove = ({ place, tables, rows, switchMs, comparedKeys, seconds }: DoneMove): string =>
  [
    `Moved to ${place} in ${seconds.toFixed(1)} s: ${tables} tables, ${rows} rows copied now. The switch held writers for ${(switchMs / 1000).toFixed(1)} s; a running service opens the new database now, and answers with 503 until it has.`,
    `Compared: every row of every table by number and checksum, and the ${comparedKeys} that changed meanwhile once more at the switch.`,
  ].join('\n')
