import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '../db/pool/open'
import { outsideOfScopes } from '../db/pool/scope'

/** HMAC-SHA-256 in base64url, for values that are only compared and must not be readable in the database. */
type KeyedHash = (text: string) => string

/** The key is random, created once per database, and shared by all instances. */
export function createKeyedHash(db: Db): () => Promise<KeyedHash> {
  let pending: Promise<KeyedHash> | null = null
  return () => {
    pending ??= outsideOfScopes(() => makeKeyedHash(db)).catch((error) => {
      pending = null
      throw error
    })
    return pending
  }
}

async function makeKeyedHash(db: Db): Promise<KeyedHash> {
  const made = randomBytes(32).toString('base64url')
  await db.query('insert into rowhouse.auth_secret (secret) values ($1) on conflict do nothing', [made])
  const [row] = await db.query<{ secret: string }>('select secret from rowhouse.auth_secret')
  return (text) => createHmac('sha256', row!.secret).update(text).digest('base64url')
}
