import { Elysia, t } from 'elysia'
import type { Deps } from '../../deps'
import { invalidRequest } from '../../errors'
import { searchOf } from '../../http/request/url'
import { translatable } from '../../messages/message'
import { authHooks } from '../hooks'
import { tokenParameter } from '../identity/credential'
import { AuditEntry, AuditFilter, listAudit } from './audit-log'

export const auditRoutes = (deps: Deps) =>
  new Elysia({ name: 'auth/audit/routes', prefix: '/api/v1/audit', tags: ['audit'] })
    .use(authHooks(deps))
    .get('/', ({ query, request }) => listAudit(deps.db, requireSingleFilters(request, query)), {
      role: 'admin',
      query: AuditFilter,
      response: t.Object({ entries: t.Array(AuditEntry), nextCursor: t.Nullable(t.String()) }),
      detail: { summary: 'List the audit log', description: 'Sign-ins, tokens, users and refusals, newest first.' },
    })

/**
 * If a filter is repeated, one value would be ignored, and the response would show too much or too little.
 * @throws Failure invalid_request
 */
function requireSingleFilters<T>(request: Request, filter: T): T {
  const names = [...new URLSearchParams(searchOf(request.url)).keys()].filter((name) => name !== tokenParameter)
  if (new Set(names).size === names.length) return filter
  throw invalidRequest(translatable('A filter appears in the URL more than once.'), translatable('Send each filter only once.'))
}
