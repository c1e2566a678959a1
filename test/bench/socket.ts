import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { databaseName, roleName } from '../../src/db/embedded/cluster'

/** The folder of the unix socket on which the embedded PostgreSQL listens, and nobody else may enter but root and us. */
export const socketDirOf = (dataDir: string): string => join(dataDir, 'run')
export const socketPathOf = (dataDir: string): string => join(socketDirOf(dataDir), '.s.PGSQL.5432')

/** postgres.js on that socket, past the service: for filling in records, and for what the service is compared with. */
export const connectTo = (socketPath: string, max = 1, database = databaseName): Sql =>
  postgres({ path: socketPath, user: roleName, database, max, fetch_types: false, onnotice: () => {} })
