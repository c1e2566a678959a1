import { afterEach, expect, test } from 'bun:test'
import { json } from '../support/app'
import { type FileView, firstCell, form, picture, startFiles } from '../support/attachments'
import { expectProblem } from '../support/problem'

/** An upload that is sent again with its Idempotency-Key is stored once. */
const files = await startFiles()

afterEach(async () => {
  expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
  expect(await files.deps.db.query('select from rowhouse.loose_files')).toHaveLength(0)
})

const send = (body: BodyInit, key: string, path: string, as: 'admin' | 'editor' = 'editor') =>
  fetch(`${files.url}${firstCell}/${path}`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${files.tokens[as]}`, 'idempotency-key': key },
  })

const names = async (column: string) => (await files.cell(column)).map(({ name }) => name)

test('a file fills its cell, and gets the first answer when it is sent again', async () => {
  const [key, bytes, before] = [Bun.randomUUIDv7(), new Blob([await picture(3, 3)]), files.stored().length]
  const first = await send(bytes, key, 'icon?name=a.png')
  const again = await send(bytes, key, 'icon?name=a.png')
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
  const [file] = (await json(first)) as FileView[]
  expect(await json(again)).toEqual([file])
  expect(await files.cell('icon')).toEqual([file!])
  expect(files.stored()).toHaveLength(before + 1)
  await expectProblem(await send(bytes, Bun.randomUUIDv7(), 'icon?name=a.png'), 409, 'conflict')
  await expectProblem(await send(new Blob([await picture(4, 4)]), key, 'icon?name=a.png'), 422, 'idempotency_key_reused')
  await expectProblem(await send(bytes, key, 'icon?name=b.png'), 422, 'idempotency_key_reused')
  expect(files.stored()).toHaveLength(before + 1)
})

test('a form may have another boundary', async () => {
  const key = Bun.randomUUIDv7()
  const sent = () => form(['one.txt', 'two.txt'].map((name) => [name, name]))
  const first = await send(sent(), key, 'papers')
  const again = await send(sent(), key, 'papers')
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
  expect(await json(again)).toEqual(await json(first))
  expect(await names('papers')).toEqual(['one.txt', 'two.txt'])
})

test('attempts at the same time store it once', async () => {
  const key = Bun.randomUUIDv7()
  const answers = await Promise.all(Array.from({ length: 6 }, () => send('same', key, 'photos?name=same.txt')))
  for (const answer of answers) if (answer.status !== 201) await expectProblem(answer, 409, 'request_in_progress')
  expect((await send('same', key, 'photos?name=same.txt')).status).toBe(201)
  expect(await names('photos')).toEqual(['same.txt'])
})

test('a refused upload is not remembered, and the key of another user is another one', async () => {
  const [key, path] = [Bun.randomUUIDv7(), 'photos?name=own.txt']
  expect((await send('own', key, `${path}&replace=maybe`)).status).toBe(400)
  const own = await json(send('own', key, `${path}&replace=1`))
  const other = await json(send('own', key, path, 'admin'))
  expect(other[0].id).not.toBe(own[0].id)
  expect(await names('photos')).toEqual(['own.txt', 'own.txt'])
  await expectProblem(await send('own', '"', path), 400, 'invalid_request')
})

test('what PostgreSQL refuses at the commit leaves no file', async () => {
  await files.deps.db.query(`create function data.refuse() returns trigger language plpgsql as $$ begin
    raise unique_violation using message = 'Refused at the commit.'; end $$`)
  await files.deps.db.query(`create constraint trigger refuse after update on data.pets deferrable initially deferred
    for each row execute function data.refuse()`)
  const [key, before] = [Bun.randomUUIDv7(), files.stored()]
  expect((await send('late', key, 'photos?name=late.txt')).status).toBe(409)
  await files.deps.db.query('drop trigger refuse on data.pets')
  expect(files.stored()).toEqual(before)
  const late = await send('late', key, 'photos?name=late.txt')
  expect([late.status, late.headers.has('idempotent-replayed')]).toEqual([201, false])
})
