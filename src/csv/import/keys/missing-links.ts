import { catalogPath, ownPath } from '../../../db/search-path'
import { type Message, translatable } from '../../../messages/message'
import { bindLater } from '../../../records/query/sql/rules'
import { toDenial } from '../../../records/store/errors'
import { accessDenied } from '../../../records/store/rights'
import { checkConstraints, creationObstacle, lockLinkedNames, notCreated } from '../../../tables/definitions/links/missing-records'
import { createNamedRecords, upToName } from '../../../tables/definitions/links/refused-name'
import { displayColumnOf } from '../../../tables/display-column'
import type { CallerValues, Table } from '../../../tables/model'
import { allowsWrite } from '../../../tables/row-rules'
import { type ImportSession, sessionQuery } from '../session'
import { insertStaged, needsActor } from '../statements'

/** The number of records that an import has created in a linked table. */
export type CreatedLinks = { table: string; count: number }

/**
 * The names in a file that no linked record has. `creatable` counts those for which a record could be created, and
 * `created` the created records. `obstacle` says why records were not created for some names despite the request.
 */
export type MissingLinks = { creatable: number; created: CreatedLinks[] | null; obstacle: Message | null }

const missing = 'pg_temp."rowhouse missing links"'

type Creation = {
  /** The user who creates the records; null if none are created. */
  creator: string | null
  caller: CallerValues | undefined
}

/** Collects the names that no record has, and creates records for them on request. */
export function collectMissingNames(session: ImportSession, { creator, caller }: Creation) {
  const { run } = session
  const created = new Map<Table, number>()
  let obstacle: Message | null = null

  const query = async (text: string) => {
    const statement = bindLater({ text, parameters: [] }, caller)
    await run(catalogPath)
    const rows = await run(statement.text, statement.parameters)
    await run(ownPath)
    return rows.count
  }

  return {
    /** Makes the table of missing names. One import at a time creates records. @param targets the linked tables */
    prepare: async (targets: readonly Table[]) => {
      await run(`create temp table ${missing.replace('pg_temp.', '')} (c0 text collate "C", target uuid) on commit drop`)
      if (creator === null) return
      const byId = new Map(targets.map((target) => [target.id, target]))
      for (const id of [...byId.keys()].sort()) await run(lockLinkedNames(byId.get(id)!))
    },
    /**
     * @param names SQL of the missing names @returns whether records were created for them
     * @throws Failure forbidden, or RefusedName
     */
    add: async (target: Table, names: string): Promise<boolean> => {
      const reason = linkObstacle(target)
      if (reason) {
        if (creator !== null && (await query(`select from (${names}) n limit 1`)) > 0) obstacle ??= reason
        return false
      }
      const count = await query(`insert into ${missing} select name, '${target.id}'::uuid from (${names}) n order by name`)
      if (count === 0 || creator === null) return false
      created.set(target, (created.get(target) ?? 0) + (await createNamed(session, target, creator, count)))
      return true
    },
    /**
     * An access rule may hide a new record, or a trigger may change its name: then each import would create it again.
     * @throws Failure forbidden, or conflict
     */
    requireFound: async (target: Table, names: string): Promise<void> => {
      if ((await query(`select from (${names}) n limit 1`)) === 0) return
      if (target.access) throw accessDenied(target, 'create')
      throw notCreated(
        translatable('Records that were created in "{name}" are not found by their names. Nothing was changed.', { name: target.name }),
        translatable('a trigger of the linked table changes some names'),
      )
    },
    report: async (): Promise<MissingLinks> => {
      const [row] = await run<{ count: number }>(`select pg_catalog.count(distinct (c0, target))::int as count from ${missing}`)
      const counts = [...created].map(([{ name }, count]) => ({ table: name, count }))
      return { creatable: row!.count, created: creator === null ? null : counts, obstacle }
    },
  }
}

/** Why the caller cannot create records in the table from a name alone; null if that is possible. */
function linkObstacle(target: Table): Message | null {
  const display = displayColumnOf(target)
  const key = target.columns.find(({ name }) => name === target.primaryKey[0])!
  if (!allowsWrite(target, 'create') || display?.access?.isReadOnly)
    return translatable('You may not create records in "{name}".', { name: target.name })
  const columns = target.columns.filter(({ access }) => !access?.isHidden)
  return creationObstacle({ target: { ...target, columns }, key, display })
}

async function createNamed(session: ImportSession, target: Table, creator: string, names: number): Promise<number> {
  const assignment = { filled: [{ column: displayColumnOf(target)!, cell: 0 }] }
  const create = async (last: string | null) => {
    const source = `(select c0, ctid from ${missing} where ${upToName('c0', last)})`
    const statement = insertStaged(target, assignment, needsActor(target) ? [creator] : [], undefined, source)
    const { count } = await session.run(statement.text, statement.parameters).catch((error) => {
      throw toDenial(error, target) ?? error
    })
    await session.run(checkConstraints)
    // Done as for the records of the file, which may depend on each other.
    await session.run('set constraints all deferred')
    return count
  }
  const count = await createNamedRecords(sessionQuery(session), { names: `select c0 as name from ${missing}`, create })
  if (count < names && target.access) throw accessDenied(target, 'create')
  await session.run(`delete from ${missing}`)
  return count
}
