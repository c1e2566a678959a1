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
