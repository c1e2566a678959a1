import { useRef } from 'react'
import { newIdempotencyKey } from './draft-row'

/** Gives a request its idempotency key: the same one when it is repeated unchanged. */
export function useAttemptKey() {
  const last = useRef({ request: '', key: '' })
  return (request: string): string => {
    if (last.current.request !== request) last.current = { request, key: newIdempotencyKey() }
    return last.current.key
  }
}
