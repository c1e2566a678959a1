import { useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ApiError } from '../../../api/api-error'
import { queryClient } from '../../../api/queries'
import { toPathSegment } from '../../../api/urls'
import { type FieldDraft, isSameDraft, toDraft, toRequestBody } from '../../../fields/field-draft'
import { writeOnce } from '../../../records/mutations/batch'
import { useAttemptKey } from '../../../records/pages/use-attempt-key'
import { isUnseen } from '../../../records/values/record-key'
import {
  type FetchedRecord,
  invalidateRecords,
  patchRecord,
  recordQuery,
  type SavedChange,
  type WriteResult,
} from '../../../records/values/record-queries'
import { decimalMark } from '../../../values/decimal'
import { type Edits, type FieldConflict, findConflicts, laterEdits, omitEdits, remainingEdits } from './edit-conflicts'

/**
 * The changes that a save has sent; empty if it only adopted other users' values. `isDirty` says whether there are
 * edits made in the meantime.
 */
export type SavedRecord = { stored: WriteResult; changes: SavedChange[]; isDirty: boolean }

const changesOf = (edits: Edits, { record: before }: FetchedRecord, { record: after }: FetchedRecord): SavedChange[] =>
  Object.keys(edits).map((column) => ({ column, before: before[column], after: after[column] }))

/**
 * The edits of a stored record. A newer version is adopted if it does not touch edited fields. Otherwise the old
 * version stays, so that the next save detects the conflict.
 */
export function useRecordEdits(table: TableView, segment: string, fresh: FetchedRecord) {
  const [base, setBase] = useState(fresh)
  const [edits, setEdits] = useState<Edits>({})
  const [conflicts, setConflicts] = useState<FieldConflict[]>([])
  const latest = useRef(edits)
  latest.current = edits
  const attemptKey = useAttemptKey()
  /** The version whose conflicts the dialog shows. */
  const conflicting = useRef(fresh)
  if (fresh.etag !== base.etag && findConflicts(table.columns, base.record, fresh.record, edits, decimalMark()).length === 0) {
    setBase(fresh)
    setEdits(remainingEdits(table.columns, fresh.record, edits, decimalMark()))
  }

  const change = (name: string, draft: FieldDraft) =>
    setEdits((before) => {
      const column = table.columns.find((each) => each.name === name)!
      return isSameDraft(draft, toDraft(column, base.record[name], decimalMark()))
        ? omitEdits(before, new Set([name]))
        : { ...before, [name]: draft }
    })

  /** A change of the key is sent with an idempotency key: a repeated request would not find the old key. */
  function write({ etag }: FetchedRecord, pendingEdits: Edits): Promise<WriteResult> {
    const body = toRequestBody(table.columns, pendingEdits, decimalMark())
    if (!table.primaryKey.some((name) => name in pendingEdits)) return patchRecord(table, segment, etag, body)
    const operation = { method: 'PATCH', table: table.id, pk: toPathSegment(segment), ifMatch: etag } as const
    return writeOnce(operation, body, attemptKey(etag + body))
  }

  async function saveOnto(onto: FetchedRecord, pendingEdits: Edits): Promise<SavedRecord | null> {
    try {
      const stored = await write(onto, pendingEdits)
      if (!isUnseen(stored.record)) {
        queryClient.setQueryData(recordQuery(table, segment).queryKey, stored)
        setBase(stored)
      }
      const later = laterEdits(latest.current, pendingEdits)
      setEdits(later)
      setConflicts([])
      void invalidateRecords(table)
      return { stored, changes: changesOf(pendingEdits, onto, stored), isDirty: Object.keys(later).length > 0 }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      return rebase(onto, pendingEdits)
    }
  }

  /** Another user has saved first: keeps their other changes, and asks about fields that both have changed. */
  async function rebase(onto: FetchedRecord, pendingEdits: Edits): Promise<SavedRecord | null> {
    const now = await queryClient.fetchQuery({ ...recordQuery(table, segment), staleTime: 0 })
    const found = findConflicts(table.columns, onto.record, now.record, pendingEdits, decimalMark())
    if (found.length === 0) return saveOnto(now, pendingEdits)
    return ask(now, found)
  }

  function ask(now: FetchedRecord, found: FieldConflict[]): null {
    conflicting.current = now
    setConflicts(found)
    return null
  }

  /** @param theirs the columns that keep their stored value */
  async function resolveConflicts(theirs: ReadonlySet<string>): Promise<SavedRecord | null> {
    const now = await queryClient.fetchQuery({ ...recordQuery(table, segment), staleTime: 0 })
    const left = omitEdits(edits, theirs)
    // The record may have changed again while the dialog was open.
    const found = findConflicts(table.columns, conflicting.current.record, now.record, left, decimalMark())
    if (found.length > 0) {
      setEdits(left)
      return ask(now, found)
    }
    const remaining = remainingEdits(table.columns, now.record, left, decimalMark())
    setBase(now)
    setEdits(remaining)
    setConflicts([])
    latest.current = remaining
    return Object.keys(remaining).length > 0
      ? saveOnto(now, remaining)
      : { stored: { ...now, requestId: null }, changes: [], isDirty: false }
  }

  return {
    base,
    edits,
    change,
    conflicts,
    settle: resolveConflicts,
    save: () => saveOnto(base, edits),
    discard: () => setEdits({}),
    postpone: () => setConflicts([]),
  }
}
