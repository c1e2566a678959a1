import type { Deps } from '../../deps'
import { Failure } from '../../errors'
import { authOf } from '../identity/authorize'
import { auditSourceOf, recordAudit } from './audit-log'

type AuditDeps = Pick<Deps, 'lookup' | 'db' | 'events'>

/** Records in the audit log that another site tried to send a request in a user's name (SEC-70). */
export async function auditCsrf<Result>(deps: AuditDeps, request: Request, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'csrf_rejected') await recordCsrfRejection(deps, request)
    throw error
  }
}

async function recordCsrfRejection(deps: AuditDeps, request: Request) {
  const actor = await authOf(deps, request)
    .optional()
    .catch(() => null)
  const entry = { kind: 'csrf_rejected', result: 'refused', ...auditSourceOf(request, actor ?? undefined) } as const
  await recordAudit(deps.db, entry).catch((error) => deps.events.emit({ kind: 'background_failed', task: 'audit', error }))
}
