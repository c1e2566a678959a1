import { expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { settled } from '../support/rejection'

const app = await startApp({ DATABASE_POOL_SIZE: '1' })
const { sql } = app.deps.db

/**
 * The driver counted the rows of a statement that failed to those of the next one on its connection, whose first rows
 * were then missing.
 */
test('a statement that fails behind its first rows takes none from the next one', async () => {
  const connection = await sql.reserve()
  try {
    for (const count of [1, 3]) {
      expect(await settled(connection.unsafe(`select 1 / (${count} - n) from generate_series(0, 9) n`))).toThrow('division by zero')
      const rows: unknown[] = [...(await connection.unsafe('select 7 as n union all select 8 order by n'))]
      expect(rows).toEqual([{ n: 7 }, { n: 8 }])
    }
  } finally {
    connection.release()
  }
})
