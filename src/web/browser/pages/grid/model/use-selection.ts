import { type RefObject, useEffect, useRef, useState } from 'react'
import type { RecordPages } from '../../../records/pages/record-pages'
import { rangeOf, type Selection, selectCell } from './cell-selection'

/** @param top in pixels, like `left` */
type KeptPlace = { query: string; selection: Selection; top: number; left: number }

/** The places from which a record was opened, by table. Each is used once, on the way back. */
const keptPlaces = new Map<string, KeptPlace>()

const scrollerIn = (frame: RefObject<HTMLElement | null>) => frame.current?.querySelector<HTMLElement>('.grid-frame')

/** The selected cells of a list, and a way to keep them with the scroll position while a record is open. */
export function useSelection(records: RecordPages, frame: RefObject<HTMLElement | null>) {
  const { tableId, query } = records.source
  const [place] = useState(() => {
    const kept = keptPlaces.get(tableId)
    return kept?.query === query ? kept : null
  })
  const [selection, select] = useState<Selection>(() => place?.selection ?? selectCell(0, 0))
  const shown = useRef(query)
  useEffect(() => {
    if (shown.current === query) return
    shown.current = query
    // A new list starts at its first row.
    select((before) => (rangeOf(before).bottom > 0 ? selectCell(0, Math.max(0, before.active.column)) : before))
  }, [query])
  usePlace(place, records, frame)

  /** @param row the row of the opened record, which is active after going back */
  const keepPlace = (row: number) => {
    const scroller = scrollerIn(frame)
    if (!scroller) return
    const { scrollTop: top, scrollLeft: left } = scroller
    keptPlaces.set(tableId, { query, selection: selectCell(row, Math.max(0, selection.active.column)), top, left })
  }
  return { selection, select, keepPlace }
}

/** Scrolls to a place and focuses its cell, as soon as the list is long enough or its exact length is known. */
function usePlace(place: KeptPlace | null, records: RecordPages, frame: RefObject<HTMLElement | null>) {
  const pending = useRef(place)
  useEffect(() => {
    const scroller = scrollerIn(frame)
    if (!pending.current || !scroller || !records.isLoaded) return
    const { top, left, selection } = pending.current
    scroller.scrollTo(left, top)
    if (scroller.scrollTop < top - 1 && !records.count?.isExact) return
    pending.current = null
    keptPlaces.delete(records.source.tableId)
    const { row, column } = selection.active
    scroller.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus({ preventScroll: true })
  })
}
