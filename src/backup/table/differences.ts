import type { WantedFile } from './files'
import type { ColumnNote, RestorePlan } from './plan'

/** The definitions that could not be created once the records were copied. */
export type Unfinished = { leftOut: ColumnNote[]; notRequired: ColumnNote[]; notNaming: ColumnNote[] }

/** Describes the differences from the backup, in sentences. */
export function describeDifferences(
  plan: Pick<RestorePlan, 'leftOut' | 'keysOnly'>,
  { leftOut, notRequired, notNaming }: Unfinished,
  lostLinks: ReadonlyMap<string, number>,
  lost: readonly WantedFile[],
): string[] {
  const about = (notes: readonly ColumnNote[], what: string) =>
    notes.map(({ column, reason }) => `The column "${column}" ${what}: ${reason.replace(/\.$/, '')}.`)
  return [
    ...about([...plan.leftOut, ...leftOut], 'was left out'),
    ...about(plan.keysOnly, 'has only the keys, and is not a link'),
    ...about(notRequired, 'is no longer required'),
    ...about(notNaming, 'does not name the records'),
    ...[...lostLinks].map(([column, count]) => `"${column}": ${count} named a user or record that no longer exists, and are empty.`),
    ...(lost.length > 0 ? [`${lost.length} attachments no longer exist, ${lost[0]!.name} among them.`] : []),
  ]
}
