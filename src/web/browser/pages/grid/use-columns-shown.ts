import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useMemo, useRef } from 'react'
import { type Placed, rowHeadWidth } from './layout'

/** The numbers of the columns to draw: those in sight, the pinned ones, and the one with the focus. The list is the same one until it changes. */
export function useColumnsShown(scroller: RefObject<HTMLElement | null>, columns: Placed[], active: number) {
  const pinnedWidth = columns.filter(({ isPinned }) => isPinned).reduce((sum, { width }) => sum + width, 0)
  const sizes = columns.map(({ width }) => width).join()
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: columns.length,
    estimateSize: (index) => columns[index]!.width,
    getScrollElement: () => scroller.current,
    paddingStart: rowHeadWidth,
    scrollPaddingStart: rowHeadWidth + pinnedWidth,
    overscan: 2,
  })
  // Its sizes are remembered; another width or order makes them anew.
  const measured = useRef(sizes)
  if (measured.current !== sizes) {
    measured.current = sizes
    virtualizer.measure()
  }
  const seen = virtualizer.getVirtualItems().map(({ index }) => index)
  const pinned = columns.flatMap(({ isPinned }, index) => (isPinned ? [index] : []))
  const all = [...new Set([...pinned, ...seen, ...(active >= 0 && active < columns.length ? [active] : [])])].sort(
    (one, other) => one - other,
  )
  const key = all.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is in the list
  const shown = useMemo(() => all, [key])
  return { shown, virtualizer }
}
