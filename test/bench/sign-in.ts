import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import { type Service, startService } from '../support/executable'
import { administrator, setUp } from '../support/used-data'
import { keyMark } from './client'
import { type Measured, measure, seconds } from './load'
import { keys } from './requests'

/**
 * Ten thousand people with one password, each from an address of their own: nobody waits for anybody else's attempt.
 */
export async function startWithPeople(width: number): Promise<Service> {
  const service = await startService({
    environment: {
      TRUSTED_PROXIES: '127.0.0.1',
      ROWHOUSE_ARGON2_CONCURRENCY: String(width),
    },
  })
  await setUp(service)
  const sql = postgres({ path: join(service.dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse', max: 1 })
  await sql`insert into rowhouse.users (id, email, name, role, password_hash)
    select gen_random_uuid(), 'person' || n || '@example.org', 'person', 'viewer', password_hash
    from rowhouse.users, generate_series(1, ${keys}::int) n`
  await sql.end()
  return service
}

/**
 * One after the other: sign-ins, and bare argon2 verifications of the same password, as many at a time as the service
 * does.
 */
export async function measureSignIns({ url }: Service, width: number): Promise<{ signIns: Measured; bare: number }> {
  const signIns = await measure({
    url: `${url}/api/v1/auth/login`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `2001:db8:0:${keyMark}::1` },
    body: JSON.stringify({ email: `person${keyMark}@example.org`, password: administrator.password }),
    keys,
  })
  return { signIns, bare: await verifications(width) }
}

/** @returns how many a second */
async function verifications(width: number): Promise<number> {
  const child = Bun.spawn(['bun', join(import.meta.dir, 'argon2.ts'), String(width), String(seconds), '19456', '2'], { stdout: 'pipe' })
  return Number(await text(child.stdout))
}
