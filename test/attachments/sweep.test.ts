import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { checkFiles, type Finding } from '../../src/attachments/check'
import { sweepFiles } from '../../src/attachments/sweep'
import { json } from '../support/app'
import { firstCell, picture, startFiles } from '../support/attachments'

const files = await startFiles({ ROWHOUSE_FILES_GRACE: '1h' })
const { db } = files.deps

/** As if so much time had gone by. */
const wait = (hours: number) =>
  db.query(`update rowhouse.files set removed_at = removed_at - interval '${hours} hours' where removed_at is not null`)

const sweep = () => sweepFiles(files.deps)

const isKept = (id: string) => files.stored().includes(id)

async function store(name: string, text: string) {
  const writing = await files.deps.storage.create(name)
  await writing.write(Buffer.from(text))
  await writing.finish()
}

const newPet = async () => (await json(files.call('/api/v1/tables/pets/records', { as: 'editor', body: { name: 'Pet' } }))).id as number

async function checked(): Promise<Finding[]> {
  const findings: Finding[] = []
  await checkFiles(files.deps, (finding) => findings.push(finding))
  return findings
}

describe('bytes are deleted after the grace time', () => {
  test.each([
    ['the file is removed', async (_pet: number, url: string) => void (await files.call(url, { as: 'editor', method: 'DELETE' }))],
    ['the file is replaced', async (pet: number) => void (await replace(pet))],
    [
      'the record is deleted',
      async (pet: number) => void (await files.call(`/api/v1/tables/pets/records/${pet}`, { as: 'editor', method: 'DELETE' })),
    ],
    ['psql deletes the record', async (pet: number) => void (await db.query('delete from data.pets where id = $1::bigint', [String(pet)]))],
    [
      'psql empties the cell',
      async (pet: number) => void (await db.query(`update data.pets set photos = '[]' where id = $1::bigint`, [String(pet)])),
    ],
  ])('when %s', async (_what, remove) => {
    const pet = await newPet()
    const file = await files.attach('photo.png', await picture(400, 400), `/api/v1/tables/pets/records/${pet}/attachments/photos`)
    await files.call(`${file.url}?size=small`, { as: 'viewer' })
    await sweep()
    await wait(2)
    await sweep()
    expect(isKept(file.id)).toBe(true)
    await remove(pet, file.url)
    await sweep()
    expect(isKept(file.id)).toBe(true)
    await wait(2)
    expect(await sweep()).toBeGreaterThanOrEqual(1)
    expect(files.stored().filter((name) => name.startsWith(file.id))).toEqual([])
    expect(await db.query('select from rowhouse.files where id = $1::uuid', [file.id])).toHaveLength(0)
  })

  const replace = (pet: number) =>
    files.send('new', 'x', { cell: `/api/v1/tables/pets/records/${pet}/attachments/photos`, query: '&replace=1' })

  test('when the column or the table is gone', async () => {
    const columns = ['one', 'two'].map((name) => ({ name, type: 'attachment' }))
    const table = await json(files.call('/api/v1/tables', { as: 'admin', body: { name: 'gone', columns } }))
    await files.call('/api/v1/tables/gone/records', { as: 'editor', body: {} })
    const one = await files.attach('1', 'x', '/api/v1/tables/gone/records/1/attachments/one')
    const two = await files.attach('2', 'x', '/api/v1/tables/gone/records/1/attachments/two')
    const column = table.columns.find(({ name }: { name: string }) => name === 'one')
    await drop(`/api/v1/tables/gone/columns/${column.id}`, 'alter table data.gone drop column one', column.id)
    await sweep()
    await wait(2)
    await sweep()
    expect([isKept(one.id), isKept(two.id)]).toEqual([false, true])
    await db.query('delete from rowhouse.tables where id = $1::uuid', [table.id])
    await db.query('drop table data.gone')
    await sweep()
    await wait(2)
    await sweep()
    expect(isKept(two.id)).toBe(false)
  })

  /** By the API, where it does that already. */
  async function drop(url: string, sql: string, columnId: string) {
    if ((await files.call(url, { as: 'admin', method: 'DELETE' })).status === 204) return
    await db.query(sql)
    await db.query('delete from rowhouse.columns where id = $1::uuid', [columnId])
  }
})

test('a file that is put back in time stays', async () => {
  const pet = await newPet()
  const file = await files.attach('a', 'x', `/api/v1/tables/pets/records/${pet}/attachments/photos`)
  const [{ photos }] = (await db.query<{ photos: string }>('select photos::text as photos from data.pets where id = $1::bigint', [
    String(pet),
  ])) as [{ photos: string }]
  await files.call(file.url, { as: 'editor', method: 'DELETE' })
  await sweep()
  await db.query('update data.pets set photos = $1::jsonb where id = $2::bigint', [photos, String(pet)])
  await wait(2)
  await sweep()
  expect((await files.call(file.url, { as: 'viewer' })).status).toBe(200)
  await wait(2)
  await sweep()
  expect(isKept(file.id)).toBe(true)
})

test('what psql has written into a cell does not stop the sweep', async () => {
  const pet = String(await newPet())
  await db.query(`update data.pets set photos = '[1, null, {"id": 5}, [], {"id": "no-uuid"}]' where id = $1::bigint`, [pet])
  await sweep()
  expect((await files.call(`/api/v1/tables/pets/records/${pet}`, { as: 'viewer' })).status).toBe(200)
})

test('bytes of an upload that died are deleted when its lease has run out, on one of several instances', async () => {
  const ids = Array.from({ length: 120 }, () => Bun.randomUUIDv7())
  for (const id of ids) {
    if (id === ids[0]) await Bun.write(join(files.dataDir, 'files/incoming', `${id}.${crypto.randomUUID()}`), 'half of ')
    else await store(id, 'whole')
    await db.query(`insert into rowhouse.loose_files (id, expires_at) values ($1::uuid, now() + interval '1 minute')`, [id])
  }
  expect(await sweep()).toBe(0)
  await db.query(`update rowhouse.loose_files set expires_at = now() - interval '1 minute'`)
  const counts = await Promise.all([sweep(), sweep(), sweep()])
  expect(counts.reduce((sum, count) => sum + count)).toBe(120)
  expect(files.stored().filter((name) => ids.includes(name.slice(0, 36)))).toEqual([])
})

test('an upload whose bytes were swept meanwhile is refused, and the record stays as it was', async () => {
  const before = await files.cell('photos')
  const { create } = files.deps.storage
  files.deps.storage.create = async (name) => {
    const writing = await create(name)
    return { ...writing, finish: () => writing.finish().then(async () => void (await db.query('delete from rowhouse.loose_files'))) }
  }
  const answer = await files.send('late', 'x')
  files.deps.storage.create = create
  expect(answer.status).toBe(503)
  expect(await files.cell('photos')).toEqual(before)
})

describe('the check', () => {
  test('finds nothing where all is well', async () => {
    const { id } = await files.attach('fine', 'x')
    expect((await checked()).filter(({ name }) => name === id)).toEqual([])
  })

  test('finds what is missing, altered and orphaned', async () => {
    for (const { name } of await checked()) await files.deps.storage.remove([name])
    const [fine, missing, altered, shorter] = await Promise.all(
      ['fine', 'missing', 'altered', 'shorter'].map((name) => files.attach(name, 'bytes', `${firstCell}/photos`)),
    )
    await files.deps.storage.remove([missing!.id, altered!.id, shorter!.id])
    const orphan = Bun.randomUUIDv7()
    await store(altered!.id, 'BYTES')
    await store(shorter!.id, 'byte')
    await store(orphan, 'nobody’s')
    const found = await checked()
    expect(found.map(({ kind, name }) => [kind, name]).sort()).toEqual(
      [
        ['missing', missing!.id],
        ['altered', altered!.id],
        ['altered', shorter!.id],
        ['orphaned', orphan],
      ].sort(),
    )
    expect(found.some(({ name }) => name === fine!.id)).toBe(false)
  })
})

test('the check does not take a file for missing that is swept while it looks', async () => {
  const { id, url } = await files.attach('swept', 'x')
  await files.call(url, { as: 'editor', method: 'DELETE' })
  await wait(2)
  const { read, remove } = files.deps.storage
  const [areGone, isChecked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let sweeping: Promise<unknown> = Promise.resolve()
  files.deps.storage.remove = async (names) => {
    await remove(names)
    areGone.resolve()
    // Until then the row of `loose_files` is still there for everybody else.
    await isChecked.promise
  }
  files.deps.storage.read = async (name, slice) => {
    if (name === id) {
      sweeping = sweep()
      await areGone.promise
    }
    return read(name, slice)
  }
  const findings = await checked()
  isChecked.resolve()
  await sweeping
  Object.assign(files.deps.storage, { read, remove })
  expect(findings.filter(({ name }) => name === id)).toEqual([])
  expect(isKept(id)).toBe(false)
})
