import { type Service, startService } from './executable'
import { type Postgres, startPostgres } from './postgres'

/** Two processes of the executable on one database, and a superuser's connection to that database. */
type Instances = AsyncDisposable & { one: Service; two: Service; server: Postgres; uri: string }

let count = 0

export async function startTwo(environment: Record<string, string> = {}): Promise<Instances> {
  const server = await startPostgres()
  const uri = await server.createDatabase(`two${count++}`)
  const start = () => startService({ environment: { DATABASE_URL: uri, ...environment } })
  const [one, two] = await Promise.all([start(), start()])
  return {
    one,
    two,
    server,
    uri,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.stop(), two.stop()])
      await server[Symbol.asyncDispose]()
    },
  }
}
