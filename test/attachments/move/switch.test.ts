import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { deleteLoose } from '../../../src/attachments/loose-files'
import { withMoveLock } from '../../../src/attachments/move/lock'
import { switchStorage } from '../../../src/attachments/move/switch'
import type { MarkedStorage } from '../../../src/attachments/storage/storage'
import { sweepFiles } from '../../../src/attachments/sweep'
import { connectDirectly } from '../../../src/db/pool/open'
import { filesIn, startFiles } from '../../support/attachments'
import { until } from '../../support/processes'
import { rejection, settled } from '../../support/rejection'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = newStorageFolder()
  folders.push(folder)
  return folder
}

const start = async (environment: Record<string, string> = {}) => {
  const files = await startFiles(environment)
  const folder = newFolder()
  const { storage } = storageIn(files, folder)
  const place = async () => (await files.deps.db.query<{ place: string }>('select place from rowhouse.storage'))[0]!.place
  return { files, folder, storage, place, own: join(files.dataDir, 'files') }
}

const sessions = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

/** `hold` waits within the last step, while the row of the storage is locked. */
function held(storage: MarkedStorage) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHolding = false
  const create: MarkedStorage['create'] = async (name) => {
    if (isHolding) {
      reached.resolve()
      await released.promise
    }
    return storage.create(name)
  }
  return {
    storage: { ...storage, create },
    hold: () => {
      isHolding = true
    },
    reached: reached.promise,
    release: released.resolve,
  }
}

test('an upload that is being put into its cell is waited for, and one behind the switch is answered with 503', async () => {
  const { files, folder, storage, place, own } = await start()
  await files.attach('first', 'one')
  const gate = held(storage)
  const move = moveTo(files, gate.storage)
  const ids = await move.copy()
  gate.hold()
  const late = await files.attach('late', 'two')
  const switching = switchStorage(move, ids)
  await gate.reached
  const sending = files.send('behind', 'three')
  await until('the upload waits for the switch', async () => (await files.deps.db.sql.unsafe(sessions)).length > 0)
  gate.release()
  expect(await switching).toBe('switched')
  expect((await sending).status).toBe(503)
  expect(await place()).toBe(folder)
  expect(filesIn(folder)).toContain(late.id)
  expect((await files.send('again', 'four')).status).toBe(503)
  expect(await files.cell('photos')).toHaveLength(2)
  // What was refused is removed from neither storage by this instance, and by the next one from its own.
  expect(filesIn(own).length).toBeGreaterThanOrEqual(2)
})

test('a move ends though two files are uploaded for each that it copies', async () => {
  const { files, folder, storage, place } = await start({ ROWHOUSE_MAX_CELL_FILES: '1000' })
  const some = (count: number, name: string) => Promise.all(Array.from({ length: count }, () => files.attach(name, name)))
  let isSwitching = false
  let uploads = 60
  await some(uploads, 'before')
  const late: Promise<Response>[] = []
  const create: MarkedStorage['create'] = async (name) => {
    if (isSwitching) {
      // They wait for the switch, and each has a connection meanwhile.
      if (late.length < 4) late.push(files.send('late', 'late'))
    } else {
      if (uploads > 500) throw new Error('The copy does not end.')
      uploads += 2
      await some(2, 'meanwhile')
    }
    return storage.create(name)
  }
  const move = moveTo(files, { ...storage, create })
  const ids = await move.copy()
  isSwitching = true
  expect(await switchStorage(move, ids)).toBe('switched')
  expect(await place()).toBe(folder)
  expect(new Set((await Promise.all(late)).map(({ status }) => status))).toEqual(new Set([503]))
  expect(filesIn(folder)).toHaveLength(uploads)
})

test('a switch that is killed before its commit leaves everything with the old storage', async () => {
  const { files, folder, storage, place, own } = await start()
  await files.attach('first', 'one')
  const gate = held(storage)
  const move = moveTo(files, gate.storage)
  const ids = await move.copy()
  gate.hold()
  await files.attach('late', 'two')
  const switching = switchStorage(move, ids).catch(() => 'killed')
  await gate.reached
  const killed = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`
  // The server shows the state of a session a moment after its answer.
  await until('the session is idle', async () => (await files.deps.db.sql.unsafe(killed)).length === 1)
  await files.attach('meanwhile', 'three')
  gate.release()
  expect(await switching).toBe('killed')
  expect(await place()).toBe(own)
  expect(await settled(storageIn(files, folder).identity.verify())).toThrow('the move is not finished')
  const again = moveTo(files, storage)
  expect(await again.switch()).toBe('switched')
  expect(filesIn(folder)).toHaveLength(3)
  await storageIn(files, folder).identity.verify()
})

test('behind the switch an instance with the old storage reads what is there, and says of the rest that it is elsewhere', async () => {
  const { files, folder, storage } = await start()
  const old = await files.attach('old.txt', 'old')
  expect(await moveTo(files, storage).switch()).toBe('switched')
  const now = storageIn(files, folder)
  const id = Bun.randomUUIDv7()
  const writing = await now.files.create(id)
  await writing.write(Buffer.from('new'))
  await writing.finish()
  await files.deps.db.query(
    `insert into rowhouse.files (id, table_id, column_id, name, size, type, sha256, created_by)
      select $1::uuid, table_id, column_id, 'new', 3, type, '', created_by from rowhouse.files limit 1`,
    [id],
  )
  const { storage: before, storageIdentity } = files.deps
  expect(await storageIdentity.state()).toBe('moved')
  expect(await new Response((await before.read(old.id)) as Blob).text()).toBe('old')
  expect(await rejection(before.read(id))).toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('moved to another storage'),
  })
  expect(await rejection(before.create(Bun.randomUUIDv7()))).toMatchObject({ kind: 'unavailable' })
  expect(await rejection(before.remove([old.id]))).toMatchObject({ kind: 'unavailable' })
  expect(await settled(storageIn(files, join(files.dataDir, 'files')).identity.verify())).toThrow(`to ${folder}`)
})

test('an instance that has not heard of the switch deletes nothing, and loses no file that is to be deleted', async () => {
  const { files, folder, storage, own } = await start({ ROWHOUSE_FILES_GRACE: '1s' })
  const { id, url } = await files.attach('a', 'one')
  expect(await moveTo(files, storage).switch()).toBe('switched')
  expect((await files.call(url, { method: 'DELETE', as: 'editor' })).status).toBe(204)
  await files.deps.db.query(`update rowhouse.files set removed_at = now() - interval '1 day'`)
  expect(await rejection(sweepFiles(files.deps))).toMatchObject({ kind: 'unavailable' })
  expect([filesIn(own), filesIn(folder)]).toEqual([[id], [id]])
  const now = storageIn(files, folder)
  expect(await deleteLoose({ db: files.deps.db, storage: now.files, storageIdentity: now.identity }, [id])).toBe(1)
  expect([filesIn(own), filesIn(folder)]).toEqual([[id], []])
})

test('a move waits until another one on its database has ended', async () => {
  const { files } = await start()
  const connect = () => connectDirectly(files.target, files.deps.config)
  const order: string[] = []
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = withMoveLock(connect(), async () => {
    begun.resolve()
    await end.promise
    order.push('first')
  })
  await begun.promise
  const sql = connect()
  const second = withMoveLock(sql, async () => void order.push('second'))
  // Its first try was in vain.
  await sql`select 1`
  end.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
})
