import type { Sql } from 'postgres'
import { BackupError } from '../errors'
import { pgDump } from './pg-dump'
import type { ClusterServer } from './servers'

/** What pg_dump says of a database, in the parts in which it is made again. */
export type DumpedDefinitions = {
  /** `create database`, which goes alone. */
  create: string
  /** What is said of the database itself: owner, comment, rights; settings, which count from the next session on. */
  database: string
  /** Types, functions, tables and all else that has to be there before the rows. */
  beforeRows: string
  /** Indexes, constraints, triggers and all else that is better made behind the rows; and what views keep of them. */
  behindRows: string
  /** Where the sequences stand. */
  sequences: string
}

export async function readDefinitions({ target }: ClusterServer, signal: AbortSignal): Promise<DumpedDefinitions> {
  const before = await pgDump(target, ['--create', '--section=pre-data'], signal)
  return {
    ...splitDatabase(before, target.database),
    behindRows: await pgDump(target, ['--section=post-data'], signal),
    sequences: await pgDump(target, ['--schema-only', '--sequence-data', '--section=data'], signal),
  }
}

/** All of it as one text, to be compared with that of the other server. */
export const readWholeDump = ({ target }: ClusterServer, signal: AbortSignal): Promise<string> =>
  pgDump(target, ['--create', '--schema-only', '--sequence-data'], signal)

/**
 * pg_dump means its text for psql, which connects to the new database with a command of its own; once behind
 * `create database`, and once more behind the settings of the database where there are any.
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
 * @throws BackupError which names the object whose definition the new major version does not take
 */
export async function applyDefinitions(sql: Pick<Sql, 'unsafe'>, text: string): Promise<void> {
  try {
    await sql.unsafe(text).simple()
  } catch (error) {
    const { message, position } = error as { message: string; position?: string }
    const name = position === undefined ? null : objectAt(text, Number(position))
    throw name === null ? error : new BackupError(`The new version does not take the definition of ${name}: ${message}.`)
  }
}

const header = /^-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$/gm

function objectAt(text: string, position: number): string | null {
  const [, name, type, schema] = [...[...text].slice(0, position).join('').matchAll(header)].at(-1) ?? []
  return name === undefined ? null : `${type!.toLowerCase()} ${schema === '-' ? '' : `${schema}.`}${name}`
}
