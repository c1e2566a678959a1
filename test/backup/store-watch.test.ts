import { expect, test } from 'bun:test'
import { watchStore } from '../../src/backup/schedule/store-watch'
import type { BackupStore, Stored } from '../../src/backup/store'

test('a list that was begun before a backup was written is not taken for one after it', async () => {
  const begun = Promise.withResolvers<Map<string, Stored>>()
  const written = new Map([['new', { bytes: 1, changedAt: new Date(0) }]])
  let lists = 0
  const list = async () => (++lists === 1 ? begun.promise : written)
  const watch = watchStore({ list } as unknown as BackupStore, 60_000)
  const first = watch.names()
  watch.forget()
  const second = watch.names()
  begun.resolve(new Map())
  for (const names of [await first, await second, await watch.names()]) expect([...names!.keys()]).toEqual(['new'])
  expect(lists).toBe(2)
})

test('a backup that its last verification has found damaged is marked, until another one finds it whole', async () => {
  const results = new Map([
    ['a', { problem: 'A page is damaged.' }],
    ['b', { problem: null }],
  ])
  let verifiedAt = 0
  const list = async () =>
    new Map(['a', 'a.verified', 'b', 'b.verified', 'c'].map((name) => [name, { bytes: 1, changedAt: new Date(verifiedAt) }]))
  const read = async (name: string) => new Blob([JSON.stringify(results.get(name.replace('.verified', '')))])
  const watch = watchStore({ place: '/backups/', list, read } as unknown as BackupStore, 60_000)
  const damaged = async () => [...(await watch.names())!].filter(([, { isDamaged }]) => isDamaged).map(([name]) => name)
  expect(await damaged()).toEqual(['a'])
  results.set('a', { problem: null })
  verifiedAt++
  watch.forget()
  expect(await damaged()).toEqual([])
})
