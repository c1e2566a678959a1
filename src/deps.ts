import type { StorageIdentity } from './attachments/storage/identity'
import type { Storage } from './attachments/storage/storage'
import type { Passwords } from './auth/accounts/passwords'
import type { Throttle } from './auth/accounts/throttle'
import type { Budgets } from './auth/budgets'
import type { Lookup } from './auth/identity/actor'
import type { Refusals } from './auth/refusals/refusals'
import type { Backups } from './backup/schedule/backups'
import type { WalArchiver } from './backup/wal/process'
import type { ChangeFeed } from './changes/feed/feed'
import type { Db } from './db/pool/open'
import type { Renderer } from './documents/render/renderer'
import type { Events } from './ops/log/events'
import type { Config } from './ops/settings/config'
import type { Catalog } from './tables/catalog/catalog'

/** What a feature is given. Made once per process by `main.ts`, once per file by the tests. */
export type Deps = {
  config: Config
  db: Db
  events: Events
  lookup: Lookup
  refusals: Refusals
  passwords: Passwords
  throttle: Throttle
  budgets: Budgets
  catalog: Catalog
  /**
   * Where the bytes of attachments are. Nothing is read from it or written to it before it turned out to be this
   * database's.
   */
  storage: Storage
  storageIdentity: StorageIdentity
  renderer: Renderer
  feed: ChangeFeed
  backups: Backups
  walArchiver: WalArchiver
  /**
   * Whether requests may be sent here, for /readyz: true when the database is prepared, false again from the first
   * SIGTERM on. New connections are refused from the same time, so only keep-alive connections still get this answer.
   */
  isServing: () => boolean
}
