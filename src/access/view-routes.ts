import { Elysia, t } from 'elysia'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { beginView, endView } from './view-as'

/** An administrator's session that reads as another user (docs/access.md). */
export const viewAsRoutes = (deps: Deps) =>
  new Elysia({ name: 'access/view-routes', prefix: '/api/v1/access/view', tags: ['access'] })
    .use(authHooks(deps))
    .post(
      '/',
      async ({ actor, body, request, set }) => {
        await beginView(deps.db, actor, body.userId, auditSourceOf(request, actor))
        set.status = 204
      },
      {
        session: true,
        body: t.Object({ userId: t.String({ format: 'uuid' }) }, { additionalProperties: false }),
        detail: {
          summary: 'View the service as another user',
          description:
            'For administrators, by the session of a browser: from the next request on it reads as this user, and writes nothing.',
        },
      },
    )
    .delete(
      '/',
      async ({ actor, request, set }) => {
        await endView(deps.db, actor, auditSourceOf(request, actor))
        set.status = 204
      },
      { session: { isForViewers: true }, detail: { summary: 'End the view as another user' } },
    )
