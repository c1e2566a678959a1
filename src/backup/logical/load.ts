import type { Sql } from 'postgres'
import { type CopyIn, openCopyIn } from '../../db/copy'
import { isAway } from '../../db/errors'
import type { LogicalDatabase } from '../archive/manifest'
import { databaseFolder } from '../archive/names'
import type { ReceivedEntry } from '../archive/reader'
import { type Checksums, readChecksum, requireSameRows } from '../database-copy/checksums'
import { applyDefinitions } from '../database-copy/definitions'
import { sessionSettings } from '../database-copy/session'
import type { StoredTable } from '../database-copy/table-rows'
import { BackupError, DamagedBackup, damagedBackup } from '../errors'
import { beforeRowsName, behindRowsName, checksumsName, fromLines, readRowsName, rowsFolder, sequencesName, tablesName } from './layout'

type Table = Pick<StoredTable, 'name' | 'columns'>

/** Loads the entries of a logical copy, in their order, in the transaction of a session. */
export type DatabaseLoader = {
  take: (received: ReceivedEntry) => Promise<void>
  /** Must be called after the last entry. @returns the loaded contents @throws DamagedBackup if entries are missing */
  finish: () => { tables: readonly Table[]; checksums: Checksums }
}

/** Definitions are read into memory. This limit rejects a file that was crafted to exhaust it. */
const maxDefinitionBytes = 2 ** 29

export const isOfDatabase = (name: string): boolean => name.startsWith(`${databaseFolder}/`)

/**
 * @param sql in a transaction in which every schema exists and is empty
 * @throws BackupError naming the object that the server rejects, DamagedBackup for rows that differ from the original
 */
export async function createLoader(sql: Sql, { schemas }: LogicalDatabase): Promise<DatabaseLoader> {
  const [server] = await sql<{ number: string }[]>`select current_setting('server_version_num') as number`
  await sql.unsafe(`${sessionSettings}; set search_path = ''`).simple()
  const order = createOrder()
  let tables: readonly Table[] = []
  let checksums: Checksums = new Map()
  let open: { number: number; copy: CopyIn } | null = null

  const define = async (text: string) => {
    const adapted = Number(server!.number) < 170_000 ? text.replace(/^SET transaction_timeout = 0;$/m, '') : text
    try {
      await applyDefinitions(sql, adapted, 'The database')
    } catch (error) {
      throw error instanceof BackupError || isAway(error)
        ? error
        : new BackupError(`The database rejects the definitions: ${(error as Error).message}.`)
    }
    await sql.unsafe(`${sessionSettings}; set search_path = ''`).simple()
  }

  const endRows = async () => {
    if (!open) return
    const { number, copy } = open
    open = null
    await explainRows(tables[number]!, () => copy.end())
  }

  const takeRows = async (number: number, { bytes }: ReceivedEntry) => {
    const table = tables[number]
    if (!table) throw damagedBackup('it has rows of no table')
    if (open?.number !== number) {
      await endRows()
      const { name, columns } = table
      const into = columns.length > 0 ? `${name} (${columns.join(', ')})` : name
      open = { number, copy: await explainRows(table, () => openCopyIn(sql, `copy ${into} from stdin with (freeze)`)) }
    }
    const { copy } = open
    for await (const chunk of bytes) await explainRows(table, () => copy.write(chunk))
  }

  /** Runs before constraints and triggers are created, since it does not need them. */
  const compare = async () => {
    const found: Checksums = new Map()
    for (const table of tables) found.set(table.name, await readChecksum(sql, table))
    try {
      requireSameRows(checksums, found)
    } catch (error) {
      throw new DamagedBackup((error as Error).message)
    }
  }

  return {
    take: async (received) => {
      const { name, isFolder } = received
      if (isFolder) return
      order.follow(name)
      const rows = readRowsName(name)
      if (rows) return takeRows(rows.table, received)
      const text = await readDefinition(received)
      await endRows()
      if (name === beforeRowsName) await define(withoutSchemas(text, schemas))
      else if (name === tablesName) tables = fromLines<Table>(text)
      else if (name === checksumsName) {
        checksums = new Map(fromLines<{ name: string; rows: string; sum: string | null }>(text).map(({ name: of, ...sum }) => [of, sum]))
        await compare()
      } else await define(text)
    },
    finish: () => {
      order.finish()
      return { tables, checksums }
    },
  }
}

const fixedNames = [beforeRowsName, tablesName, rowsFolder, sequencesName, checksumsName, behindRowsName]

/** Requires the entries in the order in which they were written, without gaps. */
export function createOrder() {
  let at = -1
  let last = { table: -1, part: 0 }
  return {
    follow: (name: string) => {
      const rows = readRowsName(name)
      const next = fixedNames.indexOf(rows ? rowsFolder : name)
      if (next === -1) throw new BackupError(`This backup contains something unexpected: ${JSON.stringify(name.slice(0, 200))}.`)
      const isNext = rows
        ? at >= 1 && at <= 2 && (rows.table === last.table ? rows.part === last.part + 1 : rows.table > last.table && rows.part === 0)
        : next === at + 1 || (at === 1 && next === 3)
      if (!isNext) throw damagedBackup(`${name} is not in its place`)
      at = next
      if (rows) last = rows
    },
    finish: () => {
      if (at !== fixedNames.length - 1) throw damagedBackup('a part of the database is missing')
    },
  }
}

async function explainRows<Result>({ name }: Table, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    // PostgreSQL rejected a value. A lost connection raises another error.
    throw code !== undefined && /^(22|23|42|0A)/.test(code)
      ? new BackupError(`The database rejects the rows of ${name}: ${message}.`)
      : error
  }
}

async function readDefinition({ bytes, size }: ReceivedEntry): Promise<string> {
  if (size > maxDefinitionBytes) throw damagedBackup('a definition in it is too long')
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const asPattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Removes the CREATE SCHEMA statements of existing schemas. They precede any function that has the same text. */
function withoutSchemas(text: string, schemas: readonly string[]): string {
  let adapted = text
  for (const schema of schemas)
    adapted = adapted.replace(
      new RegExp(`(Type: SCHEMA; Schema: -; Owner: -\\n--\\n\\n)CREATE SCHEMA (${asPattern(schema)}|${asPattern(quoted(schema))});`),
      '$1',
    )
  return adapted
}
