import { useEffect, useRef, useState } from 'react'
import type { Records } from '../data/record-pages'

/** The records that are chosen: some, by their keys, or all that the list finds, whether they have been read or not. */
export type Checked = { isAll: true } | { isAll: false; keys: ReadonlySet<string> }

const none: Checked = { isAll: false, keys: new Set() }

export function useChecked(records: Records) {
  const [checked, setChecked] = useState<Checked>(none)
  const last = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list, another choice
  useEffect(() => setChecked(none), [records])
  const count = checked.isAll ? records.recordCount : checked.keys.size

  const toggle = (row: number, isRange: boolean) => {
    const [from, to] = isRange ? [Math.min(last.current, row), Math.max(last.current, row)] : [row, row]
    last.current = row
    setChecked((before) => {
      const keys = new Set(before.isAll ? [] : before.keys)
      const isOff = !isRange && keys.has(records.rowAt(row)?.key ?? '')
      for (let at = from; at <= to; at++) {
        const key = records.rowAt(at)?.key
        if (key) isOff ? keys.delete(key) : keys.add(key)
      }
      return { isAll: false, keys }
    })
  }
  return {
    checked,
    count,
    state: count === 0 ? ('none' as const) : checked.isAll ? ('all' as const) : ('some' as const),
    isChecked: (key: string | null) => key !== null && (checked.isAll || checked.keys.has(key)),
    toggle,
    toggleAll: () => setChecked(checked.isAll ? none : { isAll: true }),
    clear: () => setChecked(none),
  }
}

export type Checks = ReturnType<typeof useChecked>
