import { Lru } from '../../lru'
import type { TokenCaller } from './actor'

const maxCallers = 1000

/** The callers that used a token most recently. Entries may be stale, so the code that uses one must verify it. */
export function createIdentityCache() {
  const callers = new Lru<string, TokenCaller>(maxCallers)
  /** The catalog version. An identity of another version cannot be verified. */
  let latestVersion = -1

  return {
    /** @param caller as just returned by the database; null removes the entry */
    note: (hash: string, caller: TokenCaller | null | undefined) => {
      if (!caller) return callers.delete(hash)
      latestVersion = caller.actor.catalogVersion
      callers.set(hash, caller)
    },
    find: (hash: string): TokenCaller | null => {
      const caller = callers.get(hash)
      return caller?.actor.catalogVersion === latestVersion ? caller : null
    },
  }
}
