import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { entityTag } from '../records/store/etag'
import { listUsers } from '../users/service'
import { getDocument, listChanges, proposedRules, saveDocument } from './document'
import { explainAccess } from './explain'
import { readImpact } from './impact'
import { AccessChange, AccessDocument, AccessImpact, ExplainQuery, NewAccessDocument, RuleExplanation } from './model'
import { readViewNotices } from './view-notices'

const DryRun = t.Object(
  { dryRun: t.Optional(t.BooleanString({ description: 'Saves nothing, and reports who gains and who loses access to what.' })) },
  { additionalProperties: false },
)

/** Loosely typed because the types of OpenAPI and of TypeBox are incompatible. */
const savedOrImpact: { description: string; content: { 'application/json': { schema: Record<string, never> } } } = {
  description: 'The document; for a dry run, who gains and who loses access to what.',
  content: { 'application/json': { schema: t.Union([AccessDocument, AccessImpact]) as never } },
}

/** Who may read and change which records: one document, for administrators (docs/access.md). */
export const accessRoutes = (deps: Deps) =>
  new Elysia({ name: 'access/routes', prefix: '/api/v1/access', tags: ['access'] })
    .use(authHooks(deps))
    .get(
      '/',
      async ({ set }) => {
        const { document, version } = await getDocument(deps)
        set.headers.etag = entityTag(String(version))
        return document
      },
      {
        role: 'admin',
        response: { 200: AccessDocument },
        detail: {
          summary: 'Get the access document',
          description:
            'With an ETag. `problems` names the lines that fit the tables no longer, `notices` the views that show more than the lines.',
        },
      },
    )
    .put(
      '/',
      async ({ actor, body, query, request, set }) => {
        if (query.dryRun) {
          const { tables, ...proposed } = await proposedRules(deps, body)
          const impact = await readImpact(deps.db, tables, proposed, await listUsers(deps.db))
          return { ...impact, notices: await readViewNotices(deps.db, tables, proposed.rules) }
        }
        const saved = await saveDocument(deps, body, request.headers.get('if-match'), auditSourceOf(request, actor))
        set.headers.etag = entityTag(String(saved.version))
        return saved.document
      },
      {
        role: 'admin',
        body: NewAccessDocument,
        query: DryRun,
        detail: {
          summary: 'Replace the access document',
          description: '`If-Match` protects changes by others. The document applies to the next request, on every instance.',
          responses: { 200: savedOrImpact },
        },
      },
    )
    .get('/changes', async () => ({ changes: await listChanges(deps) }), {
      role: 'admin',
      response: t.Object({ changes: t.Array(AccessChange) }),
      detail: { summary: 'List the newest changes of the access document', description: 'The audit log names them by id.' },
    })
    .get('/explain', ({ query }) => explainAccess(deps, query), {
      role: 'admin',
      query: ExplainQuery,
      response: RuleExplanation,
      detail: { summary: 'Explain which rule decides', description: 'Explains an action of a user on a table or one of its records.' },
    })
