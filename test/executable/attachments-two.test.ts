import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { filesIn, picture } from '../support/attachments'
import { call, newFolder, run, startService } from '../support/executable'
import { startTwo } from '../support/instances'
import { cellPath, makePets, type Stored, upload } from '../support/pets'
import { startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { setUp } from '../support/used-data'

test('two instances on one database and one folder: files, smaller pictures, full cells and the sweep', async () => {
  const dataDir = newFolder()
  await using both = await startTwo({ ROWHOUSE_DATA_DIR: dataDir, ROWHOUSE_FILES_GRACE: '1s', SETUP_CODE: 'abcdefgh12345678' })
  const { one, two } = both
  const token = await setUp({ url: one.url, dataDir })
  const [here, there] = [one, two].map(({ url }) => ({ url, token }))
  await makePets(here!)
  const body = { name: 'two', type: 'attachment', options: { maxFiles: 2 } }
  expect((await call(`${one.url}/api/v1/tables/pets/columns`, { token, body })).status).toBe(201)

  const [photo] = (await (await upload(here!, 'photo.png', new Uint8Array(await picture(3000, 2000)))).json()) as [Stored]
  const asked = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      call(`${index % 2 ? one.url : two.url}${photo.url}?size=${index % 4 < 2 ? 'small' : 'large'}`, { token }),
    ),
  )
  expect(asked.map(({ status }) => status)).toEqual(Array<number>(24).fill(200))
  expect(new Set(await Promise.all(asked.map(async (answer) => (await answer.bytes()).byteLength))).size).toBe(2)

  const cell = cellPath.replace(/files$/, 'two')
  const sent = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      fetch(`${index % 2 ? one.url : two.url}${cell}?name=${index}`, {
        method: 'POST',
        body: 'x'.repeat(50_000),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
      }),
    ),
  )
  expect(sent.map(({ status }) => status).sort()).toEqual([201, 201, ...Array<number>(10).fill(409)])

  const gone = await Promise.all(Array.from({ length: 8 }, (_, index) => upload(index % 2 ? here! : there!, `${index}`, 'gone')))
  for (const answer of gone) {
    const [file] = (await answer.json()) as [Stored]
    expect((await call(two.url + file.url, { token, method: 'DELETE' })).status).toBe(204)
    expect((await call(one.url + file.url, { token })).status).toBe(404)
  }
  const folder = join(dataDir, 'files')
  await until('what was removed is swept, and nothing else', () => filesIn(folder).length === 5)
  expect((await call(two.url + photo.url, { token })).status).toBe(200)
  const environment = { ROWHOUSE_DATA_DIR: dataDir, DATABASE_URL: both.uri }
  const { code, stdout } = await run(['files', 'check'], { environment })
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 files')])
})

test('a second instance with a folder of its own is refused in a sentence once there are files, until the folder is adopted', async () => {
  await using server = await startPostgres()
  const DATABASE_URL = await server.createDatabase('apart')
  const [own, other] = [newFolder(), newFolder()]
  const environment = { DATABASE_URL, PORT: '0', ROWHOUSE_DATA_DIR: other }
  {
    await using first = await startService({ dataDir: own, environment: { DATABASE_URL } })
    const pets = { url: first.url, token: await setUp(first) }
    await makePets(pets)
    expect((await upload(pets, 'note.txt', 'kept')).status).toBe(201)
    for (const args of [[], ['files', 'check']]) {
      const { code, stderr } = await run(args, { environment })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^rowhouse: The storage of files, .* is not that of this database: .*\n$/)])
      for (const part of [join(other, 'files'), join(own, 'files'), 'rowhouse files adopt']) expect(stderr).toContain(part)
    }
  }
  const { code, stdout } = await run(['files', 'adopt'], { environment })
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 files of this database are missing')])
  await using _ = await startService({ dataDir: other, environment: { DATABASE_URL } })
})
