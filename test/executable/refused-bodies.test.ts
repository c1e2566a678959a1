import { expect, test } from 'bun:test'
import { json } from '../support/app'
import { call, startService } from '../support/executable'
import { administrator, setUp } from '../support/used-data'

/** JavaScript cannot write it as a text. */
const unwritable = { toString: 1, valueOf: 1, toJSON: 1 }

test('an object in place of a text is refused by its path, whatever its members are called', async () => {
  await using service = await startService()
  const { url } = service
  const refused = { status: 422, body: { code: 'validation_failed', errors: [{ path: '/email', message: 'Expected string' }] } }
  const signIn = await call(`${url}/auth/login`, { body: { ...administrator, email: unwritable } })
  expect({ status: signIn.status, body: await json(signIn) }).toMatchObject(refused)
  const token = await setUp(service)
  const table = await call(`${url}/api/v1/tables`, { token, body: { name: unwritable, columns: unwritable } })
  expect(table.status).toBe(422)
  expect((await json(table)).errors.map(({ path }: { path: string }) => path)).toEqual(['/name', '/columns'])
  const columns = ['text', 'json', 'integer'].map((type) => ({ name: type, type }))
  expect((await call(`${url}/api/v1/tables`, { token, body: { name: 'notes', columns } })).status).toBe(201)
  const records = `${url}/api/v1/tables/notes/records`
  for (const { name } of columns.filter(({ type }) => type !== 'json'))
    expect((await call(records, { token, body: { [name]: unwritable } })).status).toBe(422)
  const made = await call(records, { token, body: { json: unwritable } })
  expect([made.status, (await json(made)).json]).toEqual([201, unwritable])
})
