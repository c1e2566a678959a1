/**
 * `record` is JSON text, `key` the parts of the key in a JSON array; each is there when it was asked for. With
 * `identities` a row says whether they are verified, and whether it is one.
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
