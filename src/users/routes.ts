import { Elysia, t } from 'elysia'
import { createServiceToken, listTokens, revokeToken, type TableIds } from '../auth/accounts/tokens'
import { auditSourceOf } from '../auth/audit/audit-log'
import { authHooks } from '../auth/hooks'
import { CreatedToken, NewToken, Token, UserWithGroups } from '../auth/model'
import type { Deps } from '../deps'
import { infoOf } from '../http/request/request-info'
import type { Invite } from './invites'
import { CreatedUser, InviteLink, NewUser, UserName, UserPatch } from './model'
import { createUser, deleteUser, endSessionsOf, getUser, listNames, listUsers, resetUser, updateUser } from './service'

const Id = t.Object({ id: t.String({ format: 'uuid' }) })

export const userRoutes = (deps: Deps, tableIds: TableIds) => {
  const { db, passwords } = deps
  return new Elysia({ name: 'users/routes', prefix: '/api/v1/users', tags: ['users'] })
    .use(authHooks(deps))
    .get('/', async () => ({ users: await listUsers(db) }), {
      role: 'admin',
      response: t.Object({ users: t.Array(UserWithGroups) }),
      detail: { summary: 'List the users' },
    })
    .post(
      '/',
      async ({ actor, body, request, status }) => {
        const { user, invite } = await createUser(db, passwords, body, auditSourceOf(request, actor))
        return status(201, { user, ...(invite ? linkOf(invite, request) : {}) })
      },
      {
        role: 'admin',
        body: NewUser,
        response: { 201: CreatedUser },
        detail: {
          summary: 'Add a user',
          description:
            'Without a password the answer holds an invitation: a link that works once, for 72 hours. ' +
            'With the kind `service` the user is the owner of the API tokens of an automation, and cannot sign in.',
        },
      },
    )
    .get('/names', async () => ({ users: await listNames(db) }), {
      signedIn: 'account',
      response: t.Object({ users: t.Array(UserName) }),
      detail: {
        summary: 'List the users by name',
        description: 'For every signed-in user: the names for the ids in columns of users. A token needs the scope full.',
      },
    })
    .get('/:id', ({ params }) => getUser(db, params.id), {
      role: 'admin',
      params: Id,
      response: UserWithGroups,
      detail: { summary: 'Get a user' },
    })
    .patch('/:id', ({ actor, params, body, request }) => updateUser(db, params.id, body, auditSourceOf(request, actor)), {
      role: 'admin',
      params: Id,
      body: UserPatch,
      response: UserWithGroups,
      detail: { summary: 'Change the name or role of a user, or disable them' },
    })
    .delete(
      '/:id',
      async ({ actor, params, request, set }) => {
        await deleteUser(db, params.id, auditSourceOf(request, actor))
        set.status = 204
      },
      {
        role: 'admin',
        params: Id,
        detail: { summary: 'Delete a user', description: 'Their sessions and tokens end; their records stay.' },
      },
    )
    .post(
      '/:id/reset',
      async ({ actor, params, request }) => {
        const invite = await resetUser(db, params.id, auditSourceOf(request, actor))
        return linkOf(invite, request)
      },
      {
        role: 'admin',
        params: Id,
        response: InviteLink,
        detail: { summary: 'Create a link for a new password', description: 'Password, sessions and tokens end at once.' },
      },
    )
    .delete(
      '/:id/sessions',
      async ({ actor, params, request, set }) => {
        await endSessionsOf(db, params.id, auditSourceOf(request, actor))
        set.status = 204
      },
      { role: 'admin', params: Id, detail: { summary: 'End all sessions of a user' } },
    )
    .get(
      '/:id/tokens',
      async ({ params }) => {
        await getUser(db, params.id)
        return { tokens: await listTokens(db, params.id) }
      },
      {
        role: 'admin',
        params: Id,
        response: t.Object({ tokens: t.Array(Token) }),
        detail: { summary: 'List the API tokens of a user', description: 'The values of tokens cannot be shown again.' },
      },
    )
    .post(
      '/:id/tokens',
      async ({ actor, body, params, request, status }) => {
        const tables = body.tables && (await tableIds(actor, body.tables, '/tables'))
        const token = await createServiceToken(db, actor, params.id, { ...body, tables }, auditSourceOf(request, actor))
        return status(201, token)
      },
      {
        role: 'admin',
        params: Id,
        body: NewToken,
        response: { 201: CreatedToken },
        detail: {
          summary: 'Create an API token for a service user',
          description: 'The value is shown only once. The token has the rights of the service user. People create their own tokens (409).',
        },
      },
    )
    .delete(
      '/:id/tokens/:tokenId',
      async ({ actor, params, request, set }) => {
        await revokeToken(db, params.id, params.tokenId, auditSourceOf(request, actor))
        set.status = 204
      },
      {
        role: 'admin',
        params: t.Object({ id: t.String({ format: 'uuid' }), tokenId: t.String({ format: 'uuid' }) }),
        detail: { summary: 'Revoke an API token of a user', description: 'The token ends at once, with the tokens that it has created.' },
      },
    )
}

const linkOf = ({ inviteToken, expiresAt }: Invite, request: Request) => ({
  inviteToken,
  inviteUrl: `${infoOf(request).origin}/invite#token=${inviteToken}`,
  expiresAt,
})
