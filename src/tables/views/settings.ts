import type { Db } from '../../db/pool/open'
import { payloadTooLarge, validationFailed } from '../../errors'
import { objectProblems } from '../column-types/json'
import type { Table, ViewSettings } from '../model'

const maxSettingsBytes = 64 * 1024

/** A user's view of a table; an empty object if the user has saved none. @returns JSON text */
export async function viewSettings(db: Db, userId: string, { id }: Table): Promise<string> {
  const [row] = await db.query<{ settings: string }>(
    'select settings::text as settings from rowhouse.table_views where user_id = $1::uuid and table_id = $2::uuid',
    [userId, id],
  )
  return row?.settings ?? '{}'
}

/** @returns JSON text @throws Failure payload_too_large, validation_failed */
export async function saveViewSettings(db: Db, userId: string, { id }: Table, settings: ViewSettings): Promise<string> {
  const text = toSettingsText(settings)
  await db.query(
    `insert into rowhouse.table_views (user_id, table_id, settings) values ($1::uuid, $2::uuid, $3::json)
     on conflict (user_id, table_id) do update set settings = excluded.settings`,
    [userId, id, text],
  )
  return text
}

/** @throws Failure payload_too_large, validation_failed */
export function toSettingsText(settings: object): string {
  const text = JSON.stringify(settings)
  if (Buffer.byteLength(text) > maxSettingsBytes) throw payloadTooLarge(maxSettingsBytes)
  const problems = objectProblems('', settings)
  if (problems.length > 0) throw validationFailed(problems)
  return text
}
