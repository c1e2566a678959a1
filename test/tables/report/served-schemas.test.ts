import { expect, test } from 'bun:test'
import { inspectSearchPath } from '../../../src/tables/report/served-schemas'
import { startApp } from '../../support/app'

const { deps } = await startApp({ DATABASE_POOL_SIZE: '1' })
const { sql } = deps.db

test('a start warns of schemas in the search path in which other roles may create functions and operators', async () => {
  expect(await inspectSearchPath(deps.db)).toEqual([])
  await sql.unsafe('grant create on schema public to public')
  expect(await inspectSearchPath(deps.db)).toEqual([expect.stringContaining('REVOKE CREATE ON SCHEMA "public" FROM PUBLIC;')])
  await sql.unsafe('revoke create on schema public from public')
  const role = `stranger_${crypto.randomUUID().slice(0, 8)}`
  await sql.unsafe(`create role ${role}; grant create on schema public to ${role}`)
  expect(await inspectSearchPath(deps.db)).toEqual([expect.stringContaining('in the schema "public"')])
  await sql.unsafe(`revoke create on schema public from ${role}; drop role ${role}`)
  // One that no name is looked for in is nobody's concern.
  await sql.unsafe('create schema elsewhere; grant create on schema elsewhere to public')
  expect(await inspectSearchPath(deps.db)).toEqual([])
})
