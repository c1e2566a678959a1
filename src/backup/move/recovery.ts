import type { Sql } from 'postgres'
import { moveSchema } from './state'
import { literalOf, type MovedTable } from './tables'

/**
 * Marks the unlogged tables as changed if one of the servers has recovered from a crash since the copy: they are empty
 * there. The mark comes first, so that an interrupted copy begins again. A transaction on both servers, which a crash
 * would end, excludes a recovery in between.
 */
export async function noteRecovery(source: Pick<Sql, 'unsafe'>, target: Pick<Sql, 'unsafe'>, tables: readonly MovedTable[]): Promise<void> {
  const names = tables.filter(({ isUnlogged }) => isUnlogged).map(({ name }) => `(${literalOf(name)})`)
  if (names.length === 0) return
  for (const sql of [source, target]) {
    const [mark] = await sql.unsafe(`select from ${moveSchema}.unlogged`)
    if (mark) continue
    await source.unsafe(`insert into ${moveSchema}.queue (table_name) values ${names.join(', ')}`)
    await sql.unsafe(`insert into ${moveSchema}.unlogged values (true)`)
  }
}
