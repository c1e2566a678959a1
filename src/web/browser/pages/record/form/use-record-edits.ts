import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { queryClient } from '../../../api/queries'
import { decimalMark } from '../../../values/decimal'
import { changeRecord, forgetRecords, recordQuery, type Stored } from '../data/record-queries'
import { bodyOf, type Draft, draftOf, isSameDraft } from '../fields/field-draft'
import { type Conflict, conflictsOf, type Edits, stillEdited, without } from './edit-conflicts'

/**
 * What is edited of a stored record. A newer version that does not touch what is edited is taken over as it comes; the version of one that does is not,
 * so that the next save finds out and asks.
 */
export function useRecordEdits(table: TableView, segment: string, fresh: Stored) {
  const [base, setBase] = useState(fresh)
  const [edits, setEdits] = useState<Edits>({})
  const [conflicts, setConflicts] = useState<Conflict[]>([])
  if (fresh.etag !== base.etag && conflictsOf(table.columns, base.record, fresh.record, edits).length === 0) {
    setBase(fresh)
    setEdits(stillEdited(table.columns, fresh.record, edits))
  }

  const change = (name: string, draft: Draft) =>
    setEdits((before) => {
      const column = table.columns.find((each) => each.name === name)!
      return isSameDraft(draft, draftOf(column, base.record[name])) ? without(before, new Set([name])) : { ...before, [name]: draft }
    })

  async function store(onto: Stored, wanted: Edits): Promise<Stored | null> {
    try {
      const stored = await changeRecord(table, segment, onto.etag, bodyOf(table.columns, wanted, decimalMark()))
      queryClient.setQueryData(recordQuery(table, segment).queryKey, stored)
      setBase(stored)
      setEdits({})
      setConflicts([])
      void forgetRecords(table)
      return stored
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 412)) throw error
      return catchUp(onto, wanted)
    }
  }

  /** Somebody was faster: what they changed elsewhere stays beside ours, and what both have changed is asked. */
  async function catchUp(onto: Stored, wanted: Edits): Promise<Stored | null> {
    const now = await queryClient.fetchQuery({ ...recordQuery(table, segment), staleTime: 0 })
    const found = conflictsOf(table.columns, onto.record, now.record, wanted)
    if (found.length === 0) return store(now, wanted)
    setConflicts(found)
    return null
  }

  /** @param theirs the columns in which what the others wrote is to stay */
  async function settle(theirs: ReadonlySet<string>): Promise<Stored | null> {
    const now = await queryClient.fetchQuery({ ...recordQuery(table, segment), staleTime: 0 })
    const kept = stillEdited(table.columns, now.record, without(edits, theirs))
    setBase(now)
    setEdits(kept)
    setConflicts([])
    return Object.keys(kept).length > 0 ? store(now, kept) : now
  }

  return {
    base,
    edits,
    change,
    conflicts,
    settle,
    save: () => store(base, edits),
    discard: () => setEdits({}),
    postpone: () => setConflicts([]),
  }
}
