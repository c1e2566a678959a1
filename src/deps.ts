import type { Lookup } from './auth/lookup'
import type { Passwords } from './auth/passwords'
import type { Db } from './db/open'
import type { Config } from './ops/config'
import type { Events } from './ops/events'
import type { Catalog } from './tables/catalog'

/** What a feature is given. Made once per process by `main.ts`, once per file by the tests. */
export type Deps = {
  config: Config
  db: Db
  events: Events
  lookup: Lookup
  passwords: Passwords
  catalog: Catalog
  /** Whether new work is still taken; false from the first SIGTERM on, so that load balancers leave. */
  isServing: () => boolean
}
