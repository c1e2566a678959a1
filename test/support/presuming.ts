import { afterAll } from 'bun:test'
import { createHandler, dialects } from '../../src/app'
import { createToken } from '../../src/auth/accounts/tokens'
import type { Role } from '../../src/auth/model'
import { createDeps } from '../../src/commands/bootstrap'
import { serve } from '../../src/http/server/serve'
import { createEvents } from '../../src/ops/log/events'
import { readConfig } from '../../src/ops/settings/config'
import { createUser } from '../../src/users/service'
import { password, startApp } from './app'

export type Holder = { token: string; id: string; userId: string }

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown }

/** Two instances on one database. The first one uses cached identities; the second one never does. */
export async function startTwo() {
  const app = await startApp()
  const { db } = app.deps
  const [config, events] = [readConfig({ HOST: '127.0.0.1', PORT: '0' }), createEvents()]
  const careful = createDeps(config, events, app.target, () => true)
  careful.lookup = { ...careful.lookup, findCached: () => null }
  const other = serve(createHandler(careful), config, events, dialects)
  afterAll(async () => {
    await other.stop()
    await careful.db.close()
  })

  let count = 0
  /** A separate user with a token that was used a moment ago. */
  const newHolder = async (role: Role): Promise<Holder> => {
    const { user } = await createUser(db, app.deps.passwords, { email: `holder${count++}@example.org`, role, password }, null)
    const made = await createToken(db, { user, via: 'cookie', catalogVersion: 0 }, { name: 'x' }, null)
    await db.query('update rowhouse.tokens set last_used_at = now() where id = $1::uuid', [made.id])
    return { token: made.token, id: made.id, userId: user.id }
  }

  const send = (url: string, { token }: Holder, path: string, { method, headers, body }: Sent = {}) =>
    fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers, authorization: `Bearer ${token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    })

  /** Counts the queries of the first instance. */
  const queriesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const { query } = db
    let queries = 0
    db.query = (...given) => {
      queries++
      return query(...given)
    }
    await work().finally(() => Object.assign(db, { query }))
    return queries
  }

  return { app, other, careful, newHolder, send, queriesOf }
}
