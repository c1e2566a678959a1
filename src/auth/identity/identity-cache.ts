import type { TokenCaller } from './lookup'

const maxCallers = 1000

/** The callers that used a token most recently. Entries may be stale, so the code that uses one must verify it. */
export function createIdentityCache() {
  const callers = new Map<string, TokenCaller>()
  let newest = ''
  /** The catalog version. An identity of another version cannot be verified. */
  let latestVersion = -1

  const store = (hash: string, caller: TokenCaller) => {
    newest = hash
    callers.delete(hash)
    callers.set(hash, caller)
    if (callers.size > maxCallers) callers.delete(callers.keys().next().value!)
  }
  return {
    /** @param caller as the database has just returned it; null to remove the entry */
    note: (hash: string, caller: TokenCaller | null | undefined) => {
      if (!caller) return void callers.delete(hash)
      latestVersion = caller.actor.catalogVersion
      store(hash, caller)
    },
    find: (hash: string): TokenCaller | null => {
      const caller = callers.get(hash)
      if (caller?.actor.catalogVersion !== latestVersion) return null
      if (hash !== newest) store(hash, caller!)
      return caller!
    },
  }
}
