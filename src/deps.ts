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

/** The dependencies of features, made by `createDeps` of commands/bootstrap.ts for each database that is served. */
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
  /** The bytes of attachments. Nothing is read or written before the storage is verified to belong to this database. */
  storage: Storage
  storageIdentity: StorageIdentity
  renderer: Renderer
  feed: ChangeFeed
  backups: Backups
  walArchiver: WalArchiver
  /**
   * Whether requests may be sent here, for /readyz: true once the database is prepared, and false again after the first
   * SIGTERM. New connections are then refused, so only keep-alive connections still get this response.
   */
  isServing: () => boolean
}
