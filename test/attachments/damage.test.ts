import { afterAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkFiles, type Finding } from '../../src/attachments/check'
import { thumbnailNames } from '../../src/attachments/thumbnail-names'
import { picture, startFiles } from '../support/attachments'

/** What has happened to a folder of files behind our back. */
const files = await startFiles()
const bytes = crypto.getRandomValues(new Uint8Array(300_000))
const elsewhere = join(files.dataDir, 'elsewhere')
writeFileSync(elsewhere, bytes)

afterAll(() => expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([]))

const pathOf = (id: string) => join(files.dataDir, 'files', id.slice(-4, -2), id.slice(-2), id)

const damages: [string, 'missing' | 'altered', (path: string) => void][] = [
  ['is cut off', 'altered', (path) => truncateSync(path, 1000)],
  ['is empty', 'altered', (path) => truncateSync(path, 0)],
  ['has grown', 'altered', (path) => appendFileSync(path, 'more')],
  ['is gone', 'missing', (path) => rmSync(path)],
  ['is a link to the same bytes elsewhere', 'missing', (path) => swap(path, () => symlinkSync(elsewhere, path))],
  ['is a link to itself', 'missing', (path) => swap(path, () => symlinkSync(path, path))],
  ['is a folder', 'missing', (path) => swap(path, () => mkdirSync(path))],
  ['is a pipe that nobody writes to', 'missing', (path) => swap(path, () => spawnSync('sh', ['-c', `mkfifo ${path}`]))],
]

function swap(path: string, put: () => void) {
  rmSync(path)
  put()
}

describe.each(damages)('a file that %s', (_what, kind, damage) => {
  test('is never sent as if it were whole, in no part and by no method', async () => {
    const { id, url } = await files.attach('a.bin', bytes)
    damage(pathOf(id))
    for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=500-1500' }, { range: 'bytes=-5' }, { range: 'bytes=200000-' }]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await files.call(url, { as: 'viewer', method, headers: headers as Record<string, string> })
        expect([method, headers, answer.status]).toEqual([method, headers, 404])
      }
    }
    expect(files.events.some((event) => event.kind === 'file_missing' && event.fileId === id)).toBe(true)
    const findings: Finding[] = []
    await checkFiles(files.deps, (finding) => findings.push(finding))
    expect(findings.filter(({ name }) => name === id).map((finding) => finding.kind)).toContain(kind)
    rmSync(pathOf(id), { recursive: true, force: true })
  })

  test('has no smaller picture', async () => {
    const { id, url } = await files.attach('a.png', await picture(900, 900))
    damage(pathOf(id))
    expect((await files.call(`${url}?size=small`, { as: 'viewer' })).status).toBe(404)
  })
})

test('a folder that was taken away while the service runs is made again', async () => {
  await files.attach('a.bin', 'hello')
  rmSync(join(files.dataDir, 'files'), { recursive: true })
  const { url } = await files.attach('b.bin', 'hello')
  expect(await (await files.call(url, { as: 'viewer' })).text()).toBe('hello')
})

test('what a killed process left of a smaller picture is in nobody’s way, and goes with the picture', async () => {
  const { id, url } = await files.attach('a.png', await picture(900, 900))
  const left = ['small.webp', `small.webp.${crypto.randomUUID()}`, crypto.randomUUID()].map((end) => `${id}.${end}`)
  for (const name of left) writeFileSync(join(files.dataDir, 'files/incoming', name), 'half')
  for (const size of ['small', 'large']) expect((await files.call(`${url}?size=${size}`, { as: 'viewer' })).status).toBe(200)
  await files.deps.storage.remove([id, ...thumbnailNames(id)])
  expect(files.stored().filter((name) => name.startsWith(id))).toEqual([])
})

test('a smaller picture is shown though it cannot be kept', async () => {
  const { id, url } = await files.attach('a.png', await picture(900, 900))
  const incoming = join(files.dataDir, 'files/incoming')
  rmSync(incoming, { recursive: true })
  writeFileSync(incoming, '')
  for (let time = 0; time < 2; time++) expect((await files.call(`${url}?size=small`, { as: 'viewer' })).status).toBe(200)
  expect((await files.send('b', 'x')).status).toBe(503)
  rmSync(incoming)
  expect((await files.call(`${url}?size=small`, { as: 'viewer' })).status).toBe(200)
  expect(files.stored()).toContain(`${id}.small.webp`)
})
