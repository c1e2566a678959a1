import { useEffect, useRef } from 'react'
import type { Records } from '../data/record-pages'

const pauseMs = 40

/** Has the rows in sight fetched, and some around them. Whoever drags the scrollbar passes by what they do not want to see: after a jump it waits for a moment. */
export function useLooking(records: Records, first: number, last: number) {
  const before = useRef(first)
  useEffect(() => {
    const isJump = Math.abs(first - before.current) > last - first
    before.current = first
    const look = () => records.look(first - 10, last + 30)
    if (!isJump) return look()
    const timer = setTimeout(look, pauseMs)
    return () => clearTimeout(timer)
  }, [records, first, last])
}
