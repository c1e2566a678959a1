import { useEffect, useRef } from 'react'
import type { RecordPages } from '../../../records/pages/record-pages'

const scrollDelayMs = 40

/**
 * Fetches the visible rows and some around them. After a jump it waits briefly, because dragging the scrollbar passes
 * many rows.
 */
export function useVisiblePages(records: RecordPages, first: number, last: number) {
  const before = useRef(first)
  useEffect(() => {
    const isJump = Math.abs(first - before.current) > last - first
    before.current = first
    const look = () => records.setVisibleRange(first - 10, last + 30)
    if (!isJump) return look()
    const timer = setTimeout(look, scrollDelayMs)
    return () => clearTimeout(timer)
  }, [records, first, last])
}
