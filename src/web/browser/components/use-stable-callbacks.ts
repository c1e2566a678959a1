import { useRef, useState } from 'react'

// biome-ignore lint/suspicious/noExplicitAny: of any functions
type Calls = Record<string, (...parameters: any[]) => any>

/** The same functions as long as the component lives, each doing what the latest of them does: what takes them is not drawn again for nothing. */
export function useStable<T extends Calls>(calls: T): T {
  const latest = useRef(calls)
  latest.current = calls
  const [stable] = useState(
    () =>
      Object.fromEntries(Object.keys(calls).map((name) => [name, (...parameters: unknown[]) => latest.current[name]!(...parameters)])) as T,
  )
  return stable
}
