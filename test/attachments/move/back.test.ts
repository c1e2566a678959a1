import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deleteLoose } from '../../../src/attachments/loose-files'
import { countLeft, inspectMove } from '../../../src/attachments/move/begin'
import { removeSource } from '../../../src/attachments/move/remove'
import { switchStorage } from '../../../src/attachments/move/switch'
import { adoptStorage } from '../../../src/attachments/storage/identity'
import { type MarkedStorage, storageKeyOf } from '../../../src/attachments/storage/storage'
import { filesIn, startFiles } from '../../support/attachments'
import { settled } from '../../support/rejection'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An app with three files, and another folder. */
async function start() {
  const files = await startFiles()
  const attached = []
  for (const text of ['one', 'two', 'three']) attached.push(await files.attach(`${text}.txt`, text))
  const folder = newStorageFolder()
  folders.push(dirname(folder))
  const own = join(files.dataDir, 'files')
  const [source, storage] = [storageIn(files, own).storage, storageIn(files, folder).storage]
  return { files, ids: attached.map(({ id }) => id).sort(), own, folder, source, storage }
}

async function switched() {
  const started = await start()
  const { files, source, storage } = started
  expect(await moveTo(files, storage).switch()).toBe('switched')
  const remove = (more = {}) => removeSource(moveTo(files, storage, { source, ...more }))
  return { ...started, remove, back: moveTo(files, source, { source: storage }) }
}

const pathOf = (folder: string, id: string) => join(folder, storageKeyOf(id))

function plant(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('files that go back to where they were', () => {
  test('take only the room of what is not there', async () => {
    const { files, ids, own, storage, back } = await switched()
    const left = async () => countLeft(back, await inspectMove(back))
    expect(await left()).toEqual({ files: 0, bytes: 0 })
    unlinkSync(pathOf(own, ids[0]!))
    const { size } = (
      await files.deps.db.query<{ size: number }>('select size::int as size from rowhouse.files where id = $1::uuid', [ids[0]!])
    )[0]!
    expect(await left()).toEqual({ files: 1, bytes: size })
    const fresh = newStorageFolder()
    folders.push(dirname(fresh))
    const anew = moveTo(files, storageIn(files, fresh).storage, { source: storage })
    expect(await countLeft(anew, await inspectMove(anew))).toMatchObject({ files: 3 })
  })

  test('leave nothing there of files that were swept in between, smaller pictures neither', async () => {
    const { files, ids, own, folder, storage, back } = await switched()
    const [swept, kept] = ids as [string, string]
    for (const id of [swept, kept]) plant(pathOf(own, `${id}.small.webp`), 'picture')
    await files.deps.db.query(
      'with gone as (delete from rowhouse.files where id = $1::uuid returning id) insert into rowhouse.loose_files (id, expires_at) select id, now() from gone',
      [swept],
    )
    const now = storageIn(files, folder)
    expect(await deleteLoose({ db: files.deps.db, storage: now.files, storageIdentity: now.identity }, [swept])).toBe(1)
    expect(filesIn(folder)).not.toContain(swept)
    expect(await back.switch()).toBe('switched')
    expect(filesIn(own).sort()).toEqual([...ids.slice(1), `${kept}.small.webp`].sort())
    expect(filesIn(folder)).toHaveLength(2)
    expect((await storage.readId()) !== null).toBe(true)
  })
})

describe('what belongs to others', () => {
  test('stays in a folder called incoming, whether files are moved there or away', async () => {
    const { files, ids, own, folder, storage, source } = await start()
    const half = `${ids[0]}.${crypto.randomUUID()}`
    for (const place of [own, folder]) {
      plant(join(place, 'incoming', 'letters', 'letter.txt'), 'mine')
      plant(join(place, 'incoming', 'photo.jpg'), 'mine')
      plant(join(place, 'incoming', half), 'on')
      plant(join(place, 'incoming', `storage-id.${crypto.randomUUID()}`), 'x')
    }
    expect(await moveTo(files, storage).switch()).toBe('switched')
    expect(await removeSource(moveTo(files, storage, { source }))).toMatchObject({ outcome: 'removed' })
    for (const place of [own, folder]) {
      expect(readFileSync(join(place, 'incoming', 'letters', 'letter.txt'), 'utf8')).toBe('mine')
      expect(filesIn(join(place, 'incoming')).sort()).toEqual(['letter.txt', 'photo.jpg'])
    }
    expect(existsSync(join(own, 'storage-id'))).toBe(false)
  })
})

describe('--remove', () => {
  test('removes nothing when the old storage was made that of the database while files were compared', async () => {
    const { files, ids, own, source, storage, remove } = await switched()
    let isAdopted = false
    const read: MarkedStorage['read'] = async (...asked) => {
      if (!isAdopted) await adoptStorage(files.deps.db, source)
      isAdopted = true
      return storage.read(...asked)
    }
    const move = moveTo(files, { ...storage, read }, { source })
    expect(await settled(removeSource(move))).toThrow('nothing is removed')
    expect(filesIn(own)).toEqual(ids)
    expect(await settled(remove())).toThrow('nothing is removed')
  })

  test('leaves to the sweep what was swept while it was brought once more', async () => {
    const { files, ids, folder, storage, source } = await switched()
    const [swept] = ids as [string]
    unlinkSync(pathOf(folder, swept))
    const create: MarkedStorage['create'] = async (name) => {
      await files.deps.db.query('delete from rowhouse.files where id = $1::uuid', [name])
      return storage.create(name)
    }
    await removeSource(moveTo(files, { ...storage, create }, { source }))
    const now = storageIn(files, folder)
    await deleteLoose({ db: files.deps.db, storage: now.files, storageIdentity: now.identity }, [swept])
    expect(filesIn(folder)).toEqual(ids.slice(1))
  })
})

test('a source that is gone in the end, as an unmounted folder, is not taken for one with damaged files', async () => {
  const { files, own, folder, storage, source } = await start()
  const move = moveTo(files, storage, { skipsDamaged: true })
  const ids = await move.copy()
  const late = await files.attach('late.txt', 'four')
  const unmounted: MarkedStorage = { ...source, read: async () => null, readId: async () => null }
  expect(await settled(switchStorage({ ...move, source: unmounted }, ids))).toThrow('Nothing was switched')
  expect(filesIn(own)).toContain(late.id)
  expect(await moveTo(files, storage).switch()).toBe('switched')
  expect(filesIn(folder)).toContain(late.id)
})
