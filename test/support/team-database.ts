import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Sql } from 'postgres'
import { login } from './postgres'
import type { TeamPostgres } from './team-postgres'

const objects = readFileSync(resolve(import.meta.dir, 'team-objects.sql'), 'utf8')

/** A team's database with its own schemas; `admin` is a superuser's connection that acts as the team's role. */
export async function usedDatabase(team: TeamPostgres, name: string): Promise<{ uri: string; admin: Sql }> {
  const uri = await team.createDatabase(name)
  const admin = team.connect(name)
  await admin.unsafe('do $$ begin create role auditor; exception when duplicate_object then null; end $$')
  await admin.unsafe(`set role ${login.user}`)
  await admin.unsafe(objects)
  await admin.unsafe('reset role')
  return { uri, admin }
}

/** The sessions that a backup or a restore has open in the database. */
export async function openTransactions(admin: Sql): Promise<string[]> {
  const rows = await admin<{ query: string }[]>`select query from pg_stat_activity
    where datname = current_database() and xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()`
  return rows.map(({ query }) => query)
}
