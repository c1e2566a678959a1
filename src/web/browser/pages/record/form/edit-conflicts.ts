import { type FieldDraft, isSameDraft, toDraft } from '../../../fields/field-draft'
import type { ColumnInfo } from '../../../records/values/column'
import type { TableRecord } from '../../../records/values/record-key'

export type Edits = Readonly<Record<string, FieldDraft>>

/** A field that both users have changed. */
export type FieldConflict = { column: ColumnInfo; mine: FieldDraft; theirs: unknown }

/**
 * Compares edits of one version of a record with a newer version. Fields that only other users have changed do not
 * conflict.
 * @param base the version that was edited
 */
export function findConflicts(
  columns: readonly ColumnInfo[],
  base: TableRecord,
  fresh: TableRecord,
  edits: Edits,
  decimalMark?: string,
): FieldConflict[] {
  return columns.flatMap((column): FieldConflict[] => {
    const mine = edits[column.name]
    if (mine === undefined) return []
    const [before, now] = [toDraft(column, base[column.name], decimalMark), toDraft(column, fresh[column.name], decimalMark)]
    return isSameDraft(before, now) || isSameDraft(mine, now) ? [] : [{ column, mine, theirs: fresh[column.name] }]
  })
}

/** The edits that still differ from the record. */
export const remainingEdits = (columns: readonly ColumnInfo[], record: TableRecord, edits: Edits, decimalMark?: string): Edits =>
  Object.fromEntries(
    columns.flatMap((column): [string, FieldDraft][] => {
      const mine = edits[column.name]
      return mine === undefined || isSameDraft(mine, toDraft(column, record[column.name], decimalMark)) ? [] : [[column.name, mine]]
    }),
  )

/** Omits the edits of fields that keep their stored value. */
export const omitEdits = (edits: Edits, names: ReadonlySet<string>): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name]) => !names.has(name)))

/** The edits that were made while others were being sent. */
export const laterEdits = (edits: Edits, sent: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name, draft]) => !(name in sent && isSameDraft(draft, sent[name]!))))
