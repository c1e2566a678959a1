import { expect, spyOn, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupOverview } from '../../src/backup/model'
import { exclusivelyOn } from '../../src/backup/schedule/hold-lock'
import { oldestFollowed, replaceOlder } from '../../src/backup/schedule/replace'
import { removeExpired } from '../../src/backup/schedule/retention'
import { type BackupStore, openStore } from '../../src/backup/store'
import type { BackupRetention } from '../../src/ops/settings/backup-settings'
import { startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { inThisDatabase } from '../support/locks'
import { until } from '../support/processes'

const folder = newFolder()
const app = await startApp({ ROWHOUSE_BACKUP_TO: folder })
const { db, backups, walArchiver, events, config } = app.deps

type Origin = 'schedule' | 'request' | 'command'

/** A backup with its file and, if it is in the list, its row. */
async function made(time: string, origin: Origin | null, state: 'proven' | 'unproven' = 'proven'): Promise<string> {
  const name = `rowhouse-${time.replace(/[-:]/g, '')}.tar.zst${state === 'proven' ? '' : '.unproven'}`
  writeFileSync(join(folder, name), 'bytes')
  if (origin !== null)
    await db.query(
      `insert into rowhouse.backups (id, state, origin, place, bytes, started_at, finished_at)
        values (gen_random_uuid(), $1::text, $2::text, $3::text, 5, $4::timestamptz, $4::timestamptz)`,
      [state, origin, join(folder, name), time],
    )
  return name
}

const listed = async () => ((await (await app.call('/api/v1/backups', { as: 'admin' })).json()) as BackupOverview).backups

test('a new backup replaces those of the schedule alone, and none that somebody keeps', async () => {
  const gone = [await made('2026-11-20T03:15:00Z', 'schedule'), await made('2026-11-20T04:15:00Z', 'schedule', 'unproven')]
  const left = [
    await made('2026-11-19T10:00:00Z', 'request'),
    await made('2026-11-19T11:00:00Z', 'command'),
    await made('2026-11-19T12:00:00Z', null),
    await made('2026-11-21T04:15:00Z', 'schedule', 'unproven'),
    await made('2026-11-21T11:00:00Z', 'command', 'unproven'),
    await made('2026-11-22T03:15:00Z', 'schedule'),
  ]
  const held = await made('2026-11-20T05:15:00Z', 'schedule')
  const heldId = (await listed()).find(({ place }) => place?.endsWith(held))!.id
  const hold = (isHeld: unknown, as: 'admin' | 'editor' | undefined = 'admin') =>
    app.call(`/api/v1/backups/${heldId}`, { method: 'PATCH', body: { isHeld }, ...(as ? { as } : {}) })
  expect([(await hold(true, 'editor')).status, (await hold('yes')).status]).toEqual([403, 422])
  const answer = await hold(true)
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ id: heldId, isHeld: true })])

  const replace = () =>
    replaceOlder({ db, place: '', store: backups.store!, retention: { last: 1, daily: 0, weekly: 0, monthly: 0 }, walArchiver, events })
  await replace()
  expect(readdirSync(folder).toSorted()).toEqual([...left, held, `${held}.keep`].toSorted())
  expect(gone.filter((name) => readdirSync(folder).includes(name))).toEqual([])

  expect(await (await hold(false)).json()).toMatchObject({ isHeld: false })
  await replace()
  expect(readdirSync(folder).toSorted()).toEqual(left.toSorted())
  expect((await hold(true)).status).toBe(404)
  const audit = (await (await app.call('/api/v1/audit', { as: 'admin' })).json()) as { entries: { kind: string; subjectId: string }[] }
  expect(audit.entries.filter(({ subjectId }) => subjectId === heldId).map(({ kind }) => kind)).toEqual(['backup_released', 'backup_held'])
})

const newest: BackupRetention = { last: 1, daily: 0, weekly: 0, monthly: 0 }

test('a hold counts that is set after the retention has listed the backups', async () => {
  const names = await Promise.all(['01', '02', '03', '04'].map((hour) => made(`2026-10-01T${hour}:00:00Z`, 'schedule')))
  const keep = (name: string) => writeFileSync(join(folder, `${name}.keep`), '')
  const store: BackupStore = {
    ...backups.store!,
    list: async (prefix) => {
      const listed = await backups.store!.list(prefix)
      if (prefix === undefined) keep(names[2]!)
      return listed
    },
    remove: async (name) => {
      if (names.includes(name)) keep(names[0]!)
      await backups.store!.remove(name)
    },
  }
  const removed = await removeExpired(store, '', newest, (name) => names.includes(name), exclusivelyOn(db.sql))
  const left = names.filter((name) => readdirSync(folder).includes(name))
  expect([removed, left]).toEqual([[names[1]!], names.filter((name) => name !== names[1])])
})

test('a hold whose backup is removed meanwhile is refused, and nothing is left of it', async () => {
  const name = await made('2026-10-02T03:00:00Z', 'schedule')
  const { id } = (await listed()).find(({ place }) => place?.endsWith(name))!
  const writing = spyOn(backups.store!, 'write').mockImplementation(async (hold) => {
    writeFileSync(join(folder, hold), '')
    rmSync(join(folder, name))
  })
  const answer = await app.call(`/api/v1/backups/${id}`, { as: 'admin', method: 'PATCH', body: { isHeld: true } })
  writing.mockRestore()
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('no longer exists')])
  expect(readdirSync(folder).filter((entry) => entry.startsWith(name))).toEqual([])
})

/** A second instance with the same folder. */
const other = await startApp({ ROWHOUSE_BACKUP_TO: folder }, { beside: app })
const holdAt = (instance: typeof app, id: string) =>
  instance.call(`/api/v1/backups/${id}`, { as: 'admin', method: 'PATCH', body: { isHeld: true } })
const idOf = async (name: string) => (await listed()).find(({ place }) => place?.endsWith(name))!.id
const waits = async () => {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted and ${inThisDatabase}`,
  )
  return row!.count > 0
}

test('a backup that the retention of another instance is removing cannot be held', async () => {
  const [name] = await Promise.all(['01', '02'].map((hour) => made(`2026-10-03T${hour}:00:00Z`, 'schedule')))
  const id = await idOf(name!)
  let answer: Promise<Response> | undefined
  const store: BackupStore = {
    ...backups.store!,
    remove: async (removed) => {
      answer ??= holdAt(other, id)
      await until(
        'the hold waits for the removal',
        waits,
        answer.then(({ status }) => status),
      )
      await backups.store!.remove(removed)
    },
  }
  expect(await removeExpired(store, '', newest, (each) => each.startsWith('rowhouse-20261003'), exclusivelyOn(db.sql))).toEqual([name!])
  expect((await answer!).status).toBe(404)
  expect(readdirSync(folder).filter((entry) => entry.startsWith(name!))).toEqual([])
})

test('a backup that another instance is holding is not removed', async () => {
  const [name] = await Promise.all(['01', '02'].map((hour) => made(`2026-10-04T${hour}:00:00Z`, 'schedule')))
  const id = await idOf(name!)
  const { write } = other.deps.backups.store!
  let removal: Promise<string[]> | undefined
  const writing = spyOn(other.deps.backups.store!, 'write').mockImplementation(async (...given) => {
    removal = removeExpired(backups.store!, '', newest, (each) => each.startsWith('rowhouse-20261004'), exclusivelyOn(db.sql))
    await until(
      'the removal waits for the hold',
      waits,
      removal.then((names) => names.length),
    )
    await write(...given)
  })
  expect((await holdAt(other, id)).status).toBe(200)
  writing.mockRestore()
  expect(await removal!).toEqual([])
  expect(
    readdirSync(folder)
      .filter((entry) => entry.startsWith(name!))
      .toSorted(),
  ).toEqual([name!, `${name}.keep`])
})

test('the default keeps the last three, whatever else has been made that day', async () => {
  const names = ['01', '02', '03', '04'].map((hour) => made(`2026-11-23T${hour}:00:00Z`, 'schedule'))
  const [first, ...others] = await Promise.all(names)
  const asked = await made('2026-11-23T05:00:00Z', 'request')
  await replaceOlder({ db, place: '', store: backups.store!, retention: config.backupKeep, walArchiver, events })
  const there = readdirSync(folder)
  expect(there).not.toContain(first!)
  expect(there).toEqual(expect.arrayContaining([...others, asked]))
})

test('a backup that was found damaged is kept in place of no intact one', async () => {
  const names = await Promise.all(['01', '02', '03', '04'].map((hour) => made(`2026-10-10T${hour}:00:00Z`, 'schedule')))
  const verify = (name: string, problem: string | null) =>
    writeFileSync(join(folder, `${name}.verified`), JSON.stringify({ at: '2026-10-17T03:00:00.000Z', problem }))
  const damaged = names[2]!
  verify(names[1]!, null)
  verify(damaged, 'A page is damaged.')
  const lastTwo: BackupRetention = { last: 2, daily: 0, weekly: 0, monthly: 0 }
  const remove = () => removeExpired(backups.store!, '', lastTwo, (name) => names.includes(name), exclusivelyOn(db.sql))
  expect(await remove()).toEqual([names[0]!])
  names.push(await made('2026-10-10T05:00:00Z', 'schedule'))
  expect(await remove()).toEqual([damaged, names[1]!])
  const left = readdirSync(folder).filter((name) => name.startsWith('rowhouse-20261010'))
  expect(left.toSorted()).toEqual(names.slice(3))
})

test('the list remembers for as long as the file is there who has made it', async () => {
  const old = await made('2024-01-01T03:15:00Z', 'command')
  await db.query(
    `insert into rowhouse.backups (id, state, origin, started_at, finished_at) values (gen_random_uuid(), 'failed', 'schedule', '2024-01-01Z', '2024-01-01Z')`,
  )
  await replaceOlder({ db, place: '', store: backups.store!, retention: { last: 1, daily: 0, weekly: 0, monthly: 0 }, walArchiver, events })
  const rows = await db.query<{ place: string | null }>(`select place from rowhouse.backups where started_at < '2025-01-01Z'`)
  expect([rows, readdirSync(folder).includes(old)]).toEqual([[{ place: join(folder, old) }], true])
})

test('the log is kept for the schedule’s backups, and for others as long as the retention would keep them', () => {
  const backup = (time: string, origin: Origin) => ({ place: `/b/rowhouse-${time}00Z.tar.zst`, bytes: 5, origin, startedAt: '' })
  const all = [
    backup('20260101T1000', 'request'),
    backup('20261120T0315', 'schedule'),
    backup('20261121T0315', 'schedule'),
    backup('20261121T1000', 'request'),
  ]
  const oldest = (of: typeof all, last: number, held: string[] = []) => {
    const names = [...of.map(({ place }) => place.slice(3)), ...held.map((name) => `${name}.keep`)]
    const found = oldestFollowed(new Map(names.map((name) => [name, 5])), of, { last, daily: 0, weekly: 0, monthly: 0 })
    return found?.toISOString().slice(0, 10)
  }
  expect(oldest(all, 2)).toBe('2026-11-20')
  expect(oldest(all, 4)).toBe('2026-01-01')
  expect(oldest([all[0]!], 1)).toBe('2026-01-01')
  expect(oldest([], 1)).toBeUndefined()
  expect(oldest(all.slice(1), 1)).toBe('2026-11-20')
  expect(oldest(all.slice(1), 1, ['rowhouse-20261120T031500Z.tar.zst'])).toBe('2026-11-21')
})

test('the backup that has just been made stays, also beside one of a time when the clock was ahead', async () => {
  const ahead = await made('2036-10-05T03:00:00Z', 'schedule')
  const now = await made('2026-10-05T03:00:00Z', 'schedule')
  const names = [ahead, now]
  expect(await removeExpired(backups.store!, now, newest, (name) => names.includes(name), exclusivelyOn(db.sql))).toEqual([])
  expect(names.every((name) => readdirSync(folder).includes(name))).toBe(true)
})

test('the log is kept, night after night, for earlier backups that are not there: their disk may not be mounted', async () => {
  const before = await made('2026-10-06T03:00:00Z', 'schedule')
  const nights = [await made('2026-10-07T03:00:00Z', 'schedule'), await made('2026-10-08T03:00:00Z', 'schedule')]
  const below = newFolder()
  const unmounted: BackupStore = { ...openStore(below, config), place: backups.store!.place }
  const removing = spyOn(walArchiver, 'removeBefore')
  const replace = (store: BackupStore, name: string) =>
    replaceOlder({ db, store, place: join(folder, name), retention: null, walArchiver, events })
  const marker = `${nights[0]}.alone`
  const message = `The earlier backups are not in ${folder}/. Is its disk mounted? The log that follows them is kept. If they are gone for good, remove ${marker} there.`
  const warnings = () => app.events.filter((event) => event.kind === 'warning' && event.message === message).length
  for (const [index, name] of [...nights, nights[1]!].entries()) {
    writeFileSync(join(below, name), 'bytes')
    await replace(unmounted, name)
    expect([warnings(), removing.mock.calls.length]).toEqual([index + 1, 0])
  }
  expect(readdirSync(below).toSorted()).toEqual([nights[0]!, marker, nights[1]!])
  await replace(backups.store!, nights[1]!)
  expect(removing).toHaveBeenCalledTimes(1)
  // Without the disk a second time.
  await replace(unmounted, nights[1]!)
  expect([warnings(), removing.mock.calls.length]).toEqual([4, 1])
  // One of the earlier backups was brought there.
  writeFileSync(join(below, before), 'bytes')
  await replace(unmounted, nights[1]!)
  expect([readdirSync(below).includes(marker), removing.mock.calls.length]).toEqual([false, 2])
  removing.mockRestore()
})

test('the log of a backup that the retention removes goes, also if only the new backup is left', async () => {
  const alone = newFolder()
  const { deps } = await startApp({ ROWHOUSE_BACKUP_TO: alone })
  const store = deps.backups.store!
  const removing = spyOn(deps.walArchiver, 'removeBefore')
  const names = ['rowhouse-20261008T030000Z.tar.zst', 'rowhouse-20261009T030000Z.tar.zst']
  for (const name of names) {
    writeFileSync(join(alone, name), 'bytes')
    await deps.db.query(
      `insert into rowhouse.backups (id, state, origin, place, bytes, started_at) values (gen_random_uuid(), 'proven', 'schedule', $1::text, 5, now())`,
      [join(alone, name)],
    )
  }
  const task = { ...{ db: deps.db, walArchiver: deps.walArchiver, events: deps.events }, store, place: join(alone, names[1]!) }
  await replaceOlder({ ...task, retention: newest })
  expect(readdirSync(alone)).toEqual([names[1]!])
  expect(removing.mock.calls).toEqual([[new Date('2026-10-09T03:00:00Z')]])
  removing.mockRestore()
})
