import { createKeyedHash } from '../../auth/keyed-hash'
import { isSameHash } from '../../auth/secret'
import type { Db } from '../../db/pool/open'

/** How long an opened link may be read on: its files, its further pages, and everything that a password protects. */
export const grantSeconds = 3600

/**
 * Proof that a link has been opened. It belongs to one link and expires. In a URL it grants the files and pages of an
 * opening; in a cookie it also replaces the password.
 */
export type Grants = {
  issue: (linkId: string) => Promise<string>
  isValid: (linkId: string, grant: string) => Promise<boolean>
}

/** Seconds since 1970, and an HMAC of them. */
const grantForm = /^(\d{10})\.([A-Za-z0-9_-]{43})$/

export function createGrants(db: Db): Grants {
  const keyedHash = createKeyedHash(db)
  const sign = async (linkId: string, ends: number) => (await keyedHash())(`link opening|${linkId}|${ends}`)
  return {
    issue: async (linkId) => {
      const ends = Math.floor(Date.now() / 1000) + grantSeconds
      return `${ends}.${await sign(linkId, ends)}`
    },
    isValid: async (linkId, grant) => {
      const [, ends, mac] = grantForm.exec(grant) ?? []
      if (ends === undefined || mac === undefined || Number(ends) * 1000 <= Date.now()) return false
      return isSameHash(mac, await sign(linkId, Number(ends)))
    },
  }
}
