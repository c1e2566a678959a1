import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeSource } from '../../../src/attachments/move/remove'
import { type MarkedStorage, storageKeyOf } from '../../../src/attachments/storage/storage'
import { unavailable } from '../../../src/errors'
import { translatable } from '../../../src/messages/message'
import { filesIn, startFiles } from '../../support/attachments'
import { settled } from '../../support/rejection'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An app with three files, and an empty storage. */
async function start() {
  const files = await startFiles()
  const attached = []
  for (const text of ['one', 'two', 'three']) attached.push(await files.attach(`${text}.txt`, text))
  const folder = newStorageFolder()
  folders.push(dirname(folder))
  const own = join(files.dataDir, 'files')
  const ids = attached.map(({ id }) => id).sort()
  return { files, attached, ids, own, folder, storage: storageIn(files, folder).storage }
}

const pathOf = (folder: string, id: string) => join(folder, storageKeyOf(id))
const read = (folder: string, id: string) => readFileSync(pathOf(folder, id), 'utf8')

function plant(folder: string, id: string, text: string) {
  mkdirSync(dirname(pathOf(folder, id)), { recursive: true })
  writeFileSync(pathOf(folder, id), text)
}

const sent = (storage: MarkedStorage, names: string[]): MarkedStorage => ({
  ...storage,
  create: (name) => {
    names.push(name)
    return storage.create(name)
  },
})

describe('a move that goes on', () => {
  test('sends nothing again that was verified, and looks at what a killed one may have sent', async () => {
    const { files, ids, folder, storage } = await start()
    const names: string[] = []
    await moveTo(files, sent(storage, names)).copy()
    expect(names.sort()).toEqual(ids)
    const [whole, half, planted] = ids as [string, string, string]
    // As after `kill -9`: what was sent is not noted. One came whole, one did not, one was sent by others.
    await files.deps.db.query('update rowhouse.moved_files set verified_at = null where file_id <> $1::uuid', [planted])
    writeFileSync(pathOf(folder, half), read(folder, half).replace(/./, '?'))
    const again: string[] = []
    const move = moveTo(files, sent(storage, again))
    await move.copy()
    expect([again, move.brought.files]).toEqual([[half], 2])
    for (const id of [whole, half, planted]) expect(read(folder, id)).toBe(read(join(files.dataDir, 'files'), id))
  })

  test('takes over what was copied by other means, if its bytes are right', async () => {
    const { files, ids, own, folder, storage } = await start()
    const [right, wrong] = ids as [string, string]
    plant(folder, right, read(own, right))
    plant(folder, wrong, read(own, wrong).replace(/./, '?'))
    const names: string[] = []
    await moveTo(files, sent(storage, names)).copy()
    expect(names.sort()).toEqual(ids.filter((id) => id !== right))
    expect(read(folder, wrong)).toBe(read(own, wrong))
  })

  test('brings again what was lost in the new storage before the switch', async () => {
    const { files, ids, folder, storage } = await start()
    await moveTo(files, storage).copy()
    unlinkSync(pathOf(folder, ids[1]!))
    expect(await moveTo(files, storage).switch()).toBe('switched')
    expect(filesIn(folder)).toEqual(ids)
  })

  test('brings again what was lost, though the clock has been set back since it was read', async () => {
    const { files, ids, folder, storage } = await start()
    await moveTo(files, storage).copy()
    await files.deps.db.query(`update rowhouse.moved_files set verified_at = now() + interval '1 hour'`)
    unlinkSync(pathOf(folder, ids[1]!))
    expect(await moveTo(files, storage).switch()).toBe('switched')
    expect(filesIn(folder)).toEqual(ids)
  })

  test('sends nothing again that the new storage has and does not list', async () => {
    const { files, ids, folder, storage } = await start()
    const names: string[] = []
    const late: MarkedStorage = {
      ...sent(storage, names),
      list: async function* () {
        for await (const found of storage.list()) if (found.name !== ids[0]) yield found
      },
    }
    expect(await moveTo(files, late).switch()).toBe('switched')
    expect(names.sort()).toEqual(ids)
    expect(filesIn(folder)).toEqual(ids)
  })

  test('leaves no unfinished file of a killed one, and removes what was swept since', async () => {
    const { files, ids, folder, storage } = await start()
    await moveTo(files, storage).copy()
    mkdirSync(join(folder, 'incoming'), { recursive: true })
    writeFileSync(join(folder, 'incoming', `${ids[0]}.${crypto.randomUUID()}`), 'on')
    await files.deps.db.query('delete from rowhouse.files where id = $1::uuid', [ids[2]!])
    await moveTo(files, storage).copy()
    expect(filesIn(folder)).toEqual(ids.slice(0, 2))
  })

  test('to another place begins anew, and the first one takes no service', async () => {
    const { files, ids, storage, folder } = await start()
    await moveTo(files, storage).copy()
    const other = newStorageFolder()
    folders.push(dirname(other))
    expect(await moveTo(files, storageIn(files, other).storage).switch()).toBe('switched')
    expect(filesIn(other)).toEqual(ids)
    expect(await settled(storageIn(files, folder).identity.verify())).toThrow('is not that of this database')
    expect(await settled(moveTo(files, storage, { source: storageIn(files, other).storage }).copy())).toThrow(
      'is not empty, and not of this database',
    )
  })
})

describe('what goes wrong on the way', () => {
  test('a storage that is away for a moment is asked again', async () => {
    const { files, ids, folder, storage } = await start()
    let failures = 0
    const create: MarkedStorage['create'] = async (name) => {
      if (failures++ < 4) throw unavailable(translatable('The file storage is unavailable.'))
      return storage.create(name)
    }
    await moveTo(files, { ...storage, create }).copy()
    expect([failures > 4, filesIn(folder)]).toEqual([true, ids])
  })

  test('a new storage that gives other bytes than were sent ends it, and keeps none of them', async () => {
    const { files, ids, folder, storage } = await start()
    const lying: MarkedStorage = {
      ...storage,
      read: async (name, wanted) =>
        name === ids[1] && (await storage.read(name, wanted)) ? new Blob(['xxx']) : storage.read(name, wanted),
    }
    expect(await settled(moveTo(files, lying).copy())).toThrow('returned other bytes')
    expect(filesIn(folder)).not.toContain(ids[1])
  })

  test('a disk without room for a file ends it before that file', async () => {
    const { files, folder, storage } = await start()
    const move = moveTo(files, { ...storage, freeBytes: async () => 1002 }, { minFreeBytes: 1000 })
    expect(await settled(move.copy())).toThrow('has no room for the next file')
    expect(filesIn(folder)).toEqual([])
  })

  test('missing and altered files are named, keep it from being switched, and stay behind only when that is said', async () => {
    const { files, ids, own, folder, storage } = await start()
    const [missing, altered, whole] = ids as [string, string, string]
    unlinkSync(pathOf(own, missing))
    writeFileSync(pathOf(own, altered), read(own, altered).replace(/./, '?'))
    const strict = moveTo(files, storage)
    expect([await strict.switch(), strict.findings.sort()]).toEqual(['damaged', [`altered ${altered}`, `missing ${missing}`]])
    expect(filesIn(folder)).toEqual([whole])
    expect(await moveTo(files, storage, { skipsDamaged: true }).switch()).toBe('switched')
    const source = storageIn(files, own).storage
    const removing = { source }
    expect(await removeSource(moveTo(files, storage, removing))).toEqual({ outcome: 'damaged' })
    expect(filesIn(own)).toEqual([altered, whole].sort())
    expect(await removeSource(moveTo(files, storage, { ...removing, skipsDamaged: true }))).toEqual({
      outcome: 'removed',
      removed: 1,
      kept: 1,
    })
    expect(filesIn(own)).toEqual([altered])
  })

  test('files whose bytes were put back are brought by the next one', async () => {
    const { files, ids, own, folder, storage } = await start()
    const bytes = read(own, ids[0]!)
    unlinkSync(pathOf(own, ids[0]!))
    expect(await moveTo(files, storage).switch()).toBe('damaged')
    plant(own, ids[0]!, bytes)
    expect(await moveTo(files, storage).switch()).toBe('switched')
    expect(filesIn(folder)).toEqual(ids)
  })
})

describe('--remove', () => {
  const switched = async () => {
    const started = await start()
    const { files, storage, own } = started
    expect(await moveTo(files, storage).switch()).toBe('switched')
    const source = storageIn(files, own).storage
    return { ...started, source, remove: (more = {}) => removeSource(moveTo(files, storage, { source, ...more })) }
  }

  test('brings back what the new storage has lost, before anything is removed, and leaves what is not ours', async () => {
    const { ids, own, folder, remove } = await switched()
    unlinkSync(pathOf(folder, ids[0]!))
    writeFileSync(pathOf(folder, ids[1]!), 'x')
    writeFileSync(join(own, 'notes.txt'), 'mine')
    plant(own, `${ids[2]}.small.webp`, 'picture')
    expect(await remove()).toEqual({ outcome: 'removed', removed: 4, kept: 0 })
    expect([filesIn(own), filesIn(folder)]).toEqual([['notes.txt'], ids])
    expect(await settled(remove())).toThrow('is not the storage that the files were moved from')
  })

  test('goes on where it was interrupted', async () => {
    const { files, ids, own, source, remove } = await switched()
    const removeSome: MarkedStorage['remove'] = async ([first]) => {
      await source.remove([first!])
      throw new Error('killed')
    }
    expect(await settled(remove({ source: { ...source, remove: removeSome } }))).toThrow('killed')
    expect(filesIn(own)).toHaveLength(2)
    expect(await remove()).toMatchObject({ outcome: 'removed', removed: 2 })
    expect(await files.deps.db.query('select from rowhouse.moved_files')).toEqual([])
    expect([filesIn(own), ids.length]).toEqual([[], 3])
  })

  test('refuses before the switch, and while another move is under way', async () => {
    const { files, ids, own, storage } = await start()
    const source = storageIn(files, own).storage
    await moveTo(files, storage).copy()
    expect(await settled(removeSource(moveTo(files, storage, { source })))).toThrow('Finish the move first')
    await moveTo(files, storage).switch()
    const third = newStorageFolder()
    folders.push(dirname(third))
    await moveTo(files, storageIn(files, third).storage, { source: storage }).copy()
    expect(await settled(removeSource(moveTo(files, storage, { source })))).toThrow('Another move')
    expect(filesIn(own)).toEqual(ids)
  })
})
