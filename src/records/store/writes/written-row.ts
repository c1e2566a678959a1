/**
 * `record` is JSON text, `key` the parts of the key in a JSON array; each is present if it was requested. If identities
 * are verified, `verified` is the result, and `isWritten` distinguishes a written row from the row without one.
 */
export type WrittenRow = {
  record?: string
  key?: string
  version?: string
  isNew?: boolean
  verified?: boolean
  isWritten?: boolean | null
  count?: number
}
