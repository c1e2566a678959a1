import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makeForm } from '../support/forms'
import { makePerson } from '../support/people'
import { expectProblem } from '../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body?: object) => app.call(`/api/v1${path}`, { as: 'admin', method, body })

test('rules, groups, users and forms say why they cannot be changed while the records of a new table are written', async () => {
  expect((await admin('/tables', 'POST', { name: 'pets', columns: [{ name: 'name', type: 'text' }] })).status).toBe(201)
  // Makes the service user of forms, too.
  await makeForm(app, 'pets', [{ column: 'name' }])
  const { user } = await makePerson(app)
  const { id } = await json(admin('/groups', 'POST', { name: 'keepers', members: [user.id] }))
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // As an import does from the creation of its table to the end of the file.
  const importing = app.deps.db.sql.begin(async (tx) => {
    await tx`update rowhouse.catalog_version set version = version + 1`
    begun.resolve()
    await release.promise
  })
  await begun.promise
  try {
    const answers = await Promise.all([
      admin('/access', 'PUT', { rules: [] }),
      admin(`/groups/${id}`, 'PATCH', { name: 'others' }),
      admin(`/users/${user.id}`, 'DELETE'),
      admin('/form-definitions', 'POST', { name: 'pet', table: 'pets', title: 'A pet', fields: [{ column: 'name' }] }),
    ])
    for (const answer of answers) {
      const { message } = await expectProblem(answer, 503, 'unavailable')
      expect(message).toBe('Tables and groups are being changed right now. Nothing was saved.')
    }
  } finally {
    release.resolve()
    await importing
  }
  expect((await admin(`/groups/${id}`, 'PATCH', { name: 'others' })).status).toBe(200)
  expect((await admin(`/users/${user.id}`, 'DELETE')).status).toBe(204)
}, 60_000)
