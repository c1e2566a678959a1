import { useRef, useState } from 'react'

// biome-ignore lint/suspicious/noExplicitAny: callbacks of any signature
type Callbacks = Record<string, (...parameters: any[]) => any>

/**
 * The same function objects for the lifetime of the component, each calling its latest version. Memoized children that
 * receive them do not render again.
 */
export function useStableCallbacks<T extends Callbacks>(calls: T): T {
  const latest = useRef(calls)
  latest.current = calls
  const [stable] = useState(
    () =>
      Object.fromEntries(Object.keys(calls).map((name) => [name, (...parameters: unknown[]) => latest.current[name]!(...parameters)])) as T,
  )
  return stable
}
