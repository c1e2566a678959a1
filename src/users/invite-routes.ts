import { Elysia } from 'elysia'
import { clientOf, cookieOf } from '../auth/accounts/sessions'
import { authHooks } from '../auth/hooks'
import { setCookie } from '../auth/identity/session-cookie'
import { UserAnswer } from '../auth/model'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import type { Root } from '../http/server/health'
import { acceptInvite, checkInvite } from './invites'
import { InviteAnswer, InviteHolder, InviteToken } from './model'

/** Open to anyone who has the link. Mounted at both roots, like everything in `/auth`. */
export const inviteRoutes = <Prefix extends Root>(deps: Deps, prefix: Prefix) =>
  new Elysia({ name: `users/invite-routes${prefix}`, prefix: `${prefix}/auth/invite` as const, tags: ['auth'] })
    .use(authHooks(deps))
    .post('/check', ({ body }) => checkInvite(deps.db, body.inviteToken), {
      open: true,
      body: InviteToken,
      response: InviteHolder,
      detail: { summary: 'Get the user of an invitation', security: [] },
    })
    .post(
      '/',
      async ({ body, request, set }) => {
        const { user, secret } = await acceptInvite(deps, body, clientOf(request), cookieOf(request))
        set.headers['set-cookie'] = setCookie(secret, infoOf(request))
        return { user }
      },
      {
        open: true,
        body: InviteAnswer,
        response: UserAnswer,
        detail: { summary: 'Accept an invitation and choose a password', description: 'Works once.', security: [] },
      },
    )
