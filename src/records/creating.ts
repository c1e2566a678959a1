import type { Db } from '../db/open'
import { gathered } from '../db/together'
import type { Table } from '../tables/model'
import { refusedByRule } from './failures'
import type { RecordBody } from './model'
import type { Returning } from './query/sql-write'
import { insertRows, type WrittenRow } from './row-writes'
import { writing } from './writing'

/** One record that one request makes. */
type Creation = { table: Table; names: readonly string[]; body: RecordBody; text: string; userId: string | null; returning: Returning }

type Outcome = { row: WrittenRow } | { error: unknown }

/** A statement holds no more than these; a larger body goes alone. */
const mostTogether = 50
const longestShared = 10_000

const creators = new WeakMap<Db, WeakMap<Table, Map<string, (creation: Creation) => Promise<Outcome>>>>()
const mostCreators = 100

/**
 * Makes a record. Those that are made together and are alike share one statement and one commit, which costs what a single one does.
 * If it fails, each is made by itself: so each request has an answer of its own, and none fails for another one's record.
 */
export async function createTogether(db: Db, creation: Creation): Promise<WrittenRow> {
  const outcome = await (creation.text.length > longestShared ? alone(db, creation) : creatorOf(db, creation)(creation))
  if ('error' in outcome) throw outcome.error
  return outcome.row
}

/** One for each table, set of columns, user and kind of answer. */
function creatorOf(db: Db, { table, names, userId, returning }: Creation) {
  const ofDb = creators.get(db) ?? new WeakMap<Table, Map<string, (creation: Creation) => Promise<Outcome>>>()
  creators.set(db, ofDb)
  const ofTable = ofDb.get(table) ?? new Map<string, (creation: Creation) => Promise<Outcome>>()
  ofDb.set(table, ofTable)
  const key = JSON.stringify([names, userId, returning.plan !== undefined])
  const creator = ofTable.get(key) ?? gathered((creations: Creation[]) => createAll(db, creations), mostTogether)
  ofTable.delete(key)
  ofTable.set(key, creator)
  if (ofTable.size > mostCreators) ofTable.delete(ofTable.keys().next().value!)
  return creator
}

async function createAll(db: Db, creations: Creation[]): Promise<Outcome[]> {
  if (creations.length > 1) {
    const rows = await insert(db, creations).catch(() => [])
    if (rows.length === creations.length) return rows.map((row) => ({ row }))
  }
  return Promise.all(creations.map((creation) => alone(db, creation)))
}

const alone = (db: Db, creation: Creation): Promise<Outcome> =>
  insert(db, [creation]).then(
    ([row]) => (row ? { row } : { error: refusedByRule() }),
    (error) => ({ error }),
  )

async function insert(db: Db, creations: Creation[]): Promise<WrittenRow[]> {
  const [{ table, names, userId, returning }] = creations as [Creation]
  const { rows } = await writing(db, {}, (query) =>
    insertRows(query, {
      table,
      names,
      bodies: creations.map(({ body }) => body),
      json: `[${creations.map(({ text }) => text).join(',')}]`,
      isDefaultForMissing: false,
      userId,
      returning,
      exactly: creations.length > 1 ? creations.length : undefined,
    }),
  )
  return rows
}
