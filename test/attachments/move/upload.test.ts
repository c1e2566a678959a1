import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Incoming } from '../../../src/attachments/model'
import { uploadFiles } from '../../../src/attachments/service'
import { filesIn, startFiles } from '../../support/attachments'
import { rejection } from '../../support/rejection'
import { moveTo, newStorageFolder, storageIn } from '../../support/storage-moves'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

test('an upload that was begun before the files were moved, and moved back, is 503: its first file was removed', async () => {
  const files = await startFiles()
  await files.attach('before.txt', 'zero')
  const folder = newStorageFolder()
  folders.push(dirname(folder))
  const [source, target] = [storageIn(files, join(files.dataDir, 'files')).storage, storageIn(files, folder).storage]
  const { deps } = files
  async function* incoming(): AsyncGenerator<Incoming> {
    yield { name: 'one.txt', bytes: bytesOf('one') }
    expect(await moveTo(files, target).switch()).toBe('switched')
    expect(await moveTo(files, source, { source: target }).switch()).toBe('switched')
    // As another request does it.
    await deps.storageIdentity.requireAgain()
    yield { name: 'two.txt', bytes: bytesOf('two') }
  }
  const table = (await deps.catalog.current()).byId.get(files.tableId)!
  const column = table.columns.find(({ name }) => name === 'photos')!
  const upload = uploadFiles(deps, { table, key: ['1'], column }, incoming(), { isReplacing: false, userId: null })
  expect(await rejection(upload)).toMatchObject({ kind: 'unavailable' })
  expect(await files.cell('photos')).toHaveLength(1)
  expect(filesIn(join(files.dataDir, 'files'))).toHaveLength(1)
})
