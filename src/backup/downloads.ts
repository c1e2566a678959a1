import { auditSourceOf, recordAudit } from '../auth/audit/audit-log'
import type { Actor } from '../auth/identity/actor'
import type { Db } from '../db/pool/open'
import type { Slice } from '../object-store/slice'

/** The bytes that a response sends: all of them, or a slice. */
type DownloadedBytes = { request: Request; actor: Actor; backupId: string; slice: Slice | undefined }

const recentStatement = `select 1 from rowhouse.audit where kind = 'backup_downloaded' and subject_id = $1::uuid
  and credential_id = $2::uuid and at > now() - interval '1 hour' limit 1`

/**
 * Writes the audit entry of a download before its bytes are read. Clients fetch large files in parts, so the parts that
 * a session or token reads within an hour of an entry belong to that entry, except a part with the first byte. A HEAD
 * request receives no bytes.
 */
export async function recordDownload(db: Pick<Db, 'query'>, { request, actor, backupId, slice }: DownloadedBytes): Promise<void> {
  if (request.method === 'HEAD') return
  const source = auditSourceOf(request, actor)
  if (slice && slice.start > 0) {
    const recent = await db.query(recentStatement, [backupId, source.credentialId ?? null])
    if (recent.length > 0) return
  }
  await recordAudit(db, { kind: 'backup_downloaded', result: 'ok', subjectId: backupId, ...source })
}
