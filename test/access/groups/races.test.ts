import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { tally } from '../../support/guess'
import { makePerson } from '../../support/people'

/** Two instances on one database; the tokens of the one are known to the other. */
const one = await startApp()
const two = await startApp({}, { target: one.target, users: false })
const instances = [one, two]
const path = '/api/v1/groups'

/** The same call many times, by turns at each instance. @returns how often which status came */
async function storm(...calls: { method: string; url: string; body?: object }[]): Promise<Record<string, number>> {
  const answers = Array.from({ length: 6 }, (_, round) =>
    calls.map(({ method, url, body }, index) =>
      instances[(round + index) % 2]!.call(url, { method, body, headers: { authorization: `Bearer ${one.tokens.admin}` } }),
    ),
  )
  return tally((await Promise.all(answers.flat())).map(({ status }) => status))
}

const newGroup = async (name: string, members: string[] = []) => json(one.call(path, { as: 'admin', body: { name, members } }))
const read = (id: string) => json(one.call(`${path}/${id}`, { as: 'admin' }))

describe('two instances, at the same moment:', () => {
  test('a group of one name is made once', async () => {
    expect(await storm({ method: 'POST', url: path, body: { name: 'once' } })).toEqual({ 201: 1, 409: 5 })
  })

  test('of changes of all members one is the last, as a whole', async () => {
    const ids: string[] = []
    for (let index = 0; index < 6; index++) ids.push((await makePerson(one)).user.id)
    const group = await newGroup('both', ids)
    const sets = [ids.slice(0, 3), ids.slice(2, 6), []]
    for (let round = 0; round < 5; round++) {
      const statuses = await storm(...sets.map((members) => ({ method: 'PATCH', url: `${path}/${group.id}`, body: { members } })))
      expect(statuses).toEqual({ 200: 18 })
      expect(sets).toContainEqual((await read(group.id)).members)
    }
  })

  test('two groups that exchange their names, with others in between', async () => {
    for (let round = 0; round < 5; round++) {
      const [left, right] = [await newGroup(`left ${round}`), await newGroup(`right ${round}`)]
      const rename = (id: string, name: string) => ({ method: 'PATCH', url: `${path}/${id}`, body: { name } })
      const calls = [`left ${round}`, `right ${round}`, `other ${round}`].flatMap((name) => [rename(left.id, name), rename(right.id, name)])
      const statuses = await storm(...calls)
      expect(Object.keys(statuses).filter((status) => !['200', '409'].includes(status))).toEqual([])
      expect((await read(left.id)).name).not.toBe((await read(right.id)).name)
    }
  })

  test('a group is deleted while members come and go', async () => {
    for (let round = 0; round < 5; round++) {
      const { user } = await makePerson(one)
      const group = await newGroup(`going ${round}`)
      const url = `${path}/${group.id}`
      const statuses = await storm(
        { method: 'PUT', url: `${url}/members/${user.id}` },
        { method: 'DELETE', url: `${url}/members/${user.id}` },
        { method: 'PATCH', url, body: { members: [user.id] } },
        { method: 'DELETE', url },
      )
      expect(Object.keys(statuses).filter((status) => !['200', '204', '404'].includes(status))).toEqual([])
      expect((await one.call(url, { as: 'admin' })).status).toBe(404)
    }
  })

  test('users are deleted while they are put into groups, and a table that they have a view of', async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await makePerson(one), await makePerson(one)]
      const { id: tableId, name } = await json(
        one.call('/api/v1/tables', { as: 'admin', body: { name: `table_${round}`, columns: [{ name: 'title', type: 'text' }] } }),
      )
      for (const { token } of [first, second])
        await one.call(`/api/v1/tables/${tableId}/view`, { method: 'PUT', body: {}, headers: { authorization: `Bearer ${token}` } })
      const group = await newGroup(`leaving ${round}`, [first.user.id])
      const members = [first.user.id, second.user.id]
      const statuses = await storm(
        { method: 'PATCH', url: `${path}/${group.id}`, body: { members } },
        { method: 'PUT', url: `${path}/${group.id}/members/${second.user.id}` },
        { method: 'DELETE', url: `/api/v1/users/${first.user.id}` },
        { method: 'DELETE', url: `/api/v1/users/${second.user.id}` },
        { method: 'DELETE', url: `/api/v1/tables/${tableId}?confirm=${name}` },
      )
      expect(Object.keys(statuses).filter((status) => !['200', '204', '404', '422'].includes(status))).toEqual([])
      expect((await read(group.id)).members).toEqual([])
    }
  })

  test('a group gets its first rule while it is deleted: both cannot be', async () => {
    const setRule = async (groupId: string) =>
      two.deps.db.transaction(async (inside) => {
        // As whoever changes the document: the version of the catalogue first, then it, the groups behind it.
        await inside.query('select from rowhouse.catalog_version for update')
        await inside.query('select from rowhouse.access_document for update')
        const found = await inside.query('select from rowhouse.groups where id = $1::uuid', [groupId])
        if (found.length === 0) return false
        const rules = JSON.stringify([{ groupId, group: 'x', table: 'orders', read: 'all' }])
        await inside.query('update rowhouse.access_document set rules = $1::jsonb', [rules])
        return true
      })
    for (let round = 0; round < 10; round++) {
      const group = await newGroup(`ruled ${round}`)
      const [isSet, { status }] = await Promise.all([setRule(group.id), one.call(`${path}/${group.id}`, { as: 'admin', method: 'DELETE' })])
      expect([isSet, status]).toEqual(isSet ? [true, 409] : [false, 204])
    }
  })
})
