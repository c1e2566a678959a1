import { useEffect, useRef, useState } from 'react'

/**
 * Distinguishes the changes that a panel has applied itself, which arrive with the page's query a moment later, from
 * other changes, such as a renamed column or the button that shows all records.
 * @param reset starts again from the query after another change
 * @returns a function that remembers an applied change
 */
export function useApplied(present: string, reset: () => void): (applied: string) => void {
  const applied = useRef<string[]>([])
  const isMounted = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change of the query
  useEffect(() => {
    const at = applied.current.indexOf(present)
    applied.current = applied.current.slice(at + 1)
    if (at < 0 && isMounted.current) reset()
    isMounted.current = true
  }, [present])
  const [remember] = useState(() => (change: string) => void applied.current.push(change))
  return remember
}
