import type { Column } from '../data/column'
import type { TableRecord } from '../data/record-key'
import { type Draft, draftOf, isSameDraft } from '../fields/field-draft'

export type Edits = Readonly<Record<string, Draft>>

/** What somebody has changed here while somebody else changed it, too. */
export type Conflict = { column: Column; mine: Draft; theirs: unknown }

/**
 * What was edited on one version of a record, held against a newer one. What only others have changed is no conflict: it is not sent.
 * @param base the version that the edits were made on
 */
export function conflictsOf(columns: readonly Column[], base: TableRecord, fresh: TableRecord, edits: Edits): Conflict[] {
  return columns.flatMap((column): Conflict[] => {
    const mine = edits[column.name]
    if (mine === undefined) return []
    const [before, now] = [draftOf(column, base[column.name]), draftOf(column, fresh[column.name])]
    return isSameDraft(before, now) || isSameDraft(mine, now) ? [] : [{ column, mine, theirs: fresh[column.name] }]
  })
}

/** The edits that still say something else than the record does. */
export const stillEdited = (columns: readonly Column[], record: TableRecord, edits: Edits): Edits =>
  Object.fromEntries(
    columns.flatMap((column): [string, Draft][] => {
      const mine = edits[column.name]
      return mine === undefined || isSameDraft(mine, draftOf(column, record[column.name])) ? [] : [[column.name, mine]]
    }),
  )

/** The record with the edits taken out in which theirs were chosen. */
export const without = (edits: Edits, names: ReadonlySet<string>): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name]) => !names.has(name)))
