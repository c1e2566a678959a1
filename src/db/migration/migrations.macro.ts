import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One step of the schema: drizzle-kit's name for it, its statements, and the hash of its text. */
export type Migration = { name: string; statements: string[]; hash: string }

/** Runs while the executable is built (a Bun macro), so that the files of `migrations/` become part of it. */
export function readMigrations(): Migration[] {
  const folder = join(import.meta.dir, '../../../migrations')
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as { entries: { tag: string }[] }
  return journal.entries.map(({ tag }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), 'utf8')
    return { name: tag, statements: text.split('--> statement-breakpoint'), hash: createHash('sha256').update(text).digest('hex') }
  })
}
