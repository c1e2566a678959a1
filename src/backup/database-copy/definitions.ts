import type { Sql } from 'postgres'
import { searchIndexNames } from '../../tables/catalog/search-text'
import { BackupError } from '../errors'
import { type DumpSource, pgDump } from './pg-dump'

/** The definitions of a database as written by pg_dump, divided into the parts in which they are applied. */
export type DumpedDefinitions = {
  /** The CREATE DATABASE statement, which cannot run in a transaction. */
  create: string
  /** Properties of the database itself: owner, comment, rights, and settings, which apply from the next session on. */
  database: string
  /** Types, functions, tables and everything else that must exist before the rows. */
  beforeRows: string
  /**
   * Indexes, constraints, triggers and everything else that is better created after the rows, including views that need
   * them.
   */
  behindRows: string
  /** The current positions of the sequences. */
  sequences: string
}

export async function readDefinitions(
  source: DumpSource & { target: { database: string } },
  signal: AbortSignal,
): Promise<DumpedDefinitions> {
  const before = await pgDump(source, ['--create', '--section=pre-data'], signal)
  const behindRows = await readBehindRows(source, [], signal)
  return { ...splitDatabase(before, source.target.database), behindRows, sequences: await readSequences(source, [], signal) }
}

/**
 * The definitions of a part of a database, for an existing other database. Indexes for the search are left out: they
 * need an extension, which may be missing there or be in another schema. The service builds them when it starts.
 * @param args the options of pg_dump for the part and the snapshot: `--schema=…`, `--no-owner`, `--snapshot=…`
 */
export const readPart = async (
  source: DumpSource,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Pick<DumpedDefinitions, 'beforeRows' | 'behindRows'>> => ({
  beforeRows: await pgDump(source, ['--section=pre-data', ...args], signal),
  behindRows: withoutSearchIndexes(await readBehindRows(source, args, signal)),
})

const readBehindRows = (source: DumpSource, args: readonly string[], signal: AbortSignal) =>
  pgDump(source, ['--section=post-data', ...args], signal)

/** The positions of the sequences. @param args like those of `readPart` */
export const readSequences = (source: DumpSource, args: readonly string[], signal: AbortSignal): Promise<string> =>
  pgDump(source, ['--schema-only', '--sequence-data', '--section=data', ...args], signal)

/** All definitions as one text, for a comparison with the other server. */
export const readWholeDump = (source: DumpSource, signal: AbortSignal): Promise<string> =>
  pgDump(source, ['--create', '--schema-only', '--sequence-data'], signal)

/**
 * pg_dump writes its text for psql, which connects to the new database by a command: once after `create database`, and
 * once more after the settings of the database if there are any.
 */
export function splitDatabase(dump: string, database: string): Pick<DumpedDefinitions, 'create' | 'database' | 'beforeRows'> {
  const [outside = '', ...inside] = dump.split(new RegExp(`^\\\\connect ${database}$`, 'm'))
  const create = /^CREATE DATABASE .*;$/m.exec(outside)?.[0]
  if (create === undefined || inside.length === 0 || inside.length > 2)
    throw new Error('pg_dump has written something else than was expected.')
  return {
    create,
    database: [outside.replace(create, ''), ...inside.slice(0, -1)].join('\n'),
    beforeRows: inside.at(-1)!,
  }
}

/**
 * Runs a part of the definitions, in one transaction.
 * @param taker the server, as the subject of the message about a rejected definition
 * @throws BackupError naming the object of a rejected definition
 */
export async function applyDefinitions(sql: Pick<Sql, 'unsafe'>, text: string, taker = 'The new version'): Promise<void> {
  try {
    await sql.unsafe(text).simple()
  } catch (error) {
    const { message, position } = error as { message: string; position?: string }
    const name = position === undefined ? null : objectAt(text, Number(position))
    throw name === null ? error : new BackupError(`${taker} rejects the definition of ${name}: ${message}.`)
  }
}

const header = /^-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$/gm

/** An entry ends where the next one begins. */
export function withoutSearchIndexes(dump: string): string {
  let isLeftOut = false
  const isKept = (line: string) => {
    const [, name, type, schema] = [...line.matchAll(header)][0] ?? []
    if (name !== undefined) isLeftOut = type === 'INDEX' && schema === 'data' && searchIndexNames.test(name)
    return !isLeftOut
  }
  return dump.split('\n').filter(isKept).join('\n')
}

function objectAt(text: string, position: number): string | null {
  const [, name, type, schema] = [...[...text].slice(0, position).join('').matchAll(header)].at(-1) ?? []
  return name === undefined ? null : `${type!.toLowerCase()} ${schema === '-' ? '' : `${schema}.`}${name}`
}
