import { Elysia, t } from 'elysia'
import type { Deps } from '../../deps'
import { forbidden } from '../../errors'
import { infoOf } from '../../http/request/request-info'
import type { Root } from '../../http/server/health'
import { translatable } from '../../messages/message'
import { auditSourceOf, recordAudit, toAuditResult } from '../audit/audit-log'
import { authHooks } from '../hooks'
import { clearCookie, setCookie } from '../identity/session-cookie'
import {
  CreatedToken,
  Credentials,
  Me,
  NewToken,
  PasswordChange,
  ProfilePatch,
  Session,
  SetupRequest,
  SetupStatus,
  Token,
  UserAnswer,
} from '../model'
import { changePassword, renameSelf } from './accounts'
import { withGroups } from './group-names'
import { beginSession, clientOf, cookieOf, endSession, listSessions, revokeOtherSessions, revokeSession } from './sessions'
import { completeSetup, forgetSetupCode, isSetupRequired } from './setup'
import { signIn } from './sign-in'
import { createToken, listTokens, revokeToken, type TableIds } from './tokens'

/** Mounted twice, at `/auth` and at `/api/v1/auth`: the spec uses both paths. */
export const authRoutes = <Prefix extends Root>(deps: Deps, prefix: Prefix, tableIds: TableIds) => {
  const { db } = deps
  return new Elysia({ name: `auth/routes${prefix}`, prefix: `${prefix}/auth` as const, tags: ['auth'] })
    .use(authHooks(deps))
    .get('/setup-status', async () => ({ setupRequired: await isSetupRequired(db) }), {
      open: true,
      response: SetupStatus,
      detail: { summary: 'Check whether the first administrator must be created', security: [] },
    })
    .post(
      '/setup',
      async ({ body, request, set, status }) => {
        requireSameHost(request, deps.config.publicUrl)
        const source = auditSourceOf(request)
        const user = await completeSetup(deps, body, source).catch(async (error) => {
          await recordAudit(db, { kind: 'setup', result: toAuditResult(error), ...source })
          throw error
        })
        forgetSetupCode(deps.config.dataDir)
        set.headers['set-cookie'] = setCookie(await beginSession(db, user.id, clientOf(request), cookieOf(request)), infoOf(request))
        return status(201, { user })
      },
      {
        open: true,
        body: SetupRequest,
        response: { 201: UserAnswer },
        detail: {
          summary: 'Create the first administrator',
          description: 'Works once, with the one-time code that the start prints.',
          security: [],
        },
      },
    )
    .post(
      '/login',
      async ({ body, request, set }) => {
        const { user, secret } = await signIn(deps, body, clientOf(request), cookieOf(request))
        set.headers['set-cookie'] = setCookie(secret, infoOf(request))
        return { user }
      },
      {
        open: true,
        body: Credentials,
        response: UserAnswer,
        detail: { summary: 'Sign in', description: 'Sets the cookie service_session for 7 days.', security: [] },
      },
    )
    .post(
      '/logout',
      async ({ actor, request, set }) => {
        await endSession(db, actor, auditSourceOf(request, actor))
        set.headers['set-cookie'] = clearCookie(infoOf(request))
        set.status = 204
      },
      { session: { isForViewers: true }, detail: { summary: 'Sign out', description: 'Ends the session on every instance.' } },
    )
    .post(
      '/password',
      async ({ actor, body, request, set }) => {
        const source = auditSourceOf(request, actor)
        await changePassword(deps, actor, body, source).catch(async (error) => {
          await recordAudit(db, { kind: 'password_changed', result: toAuditResult(error), ...source })
          throw error
        })
        set.status = 204
      },
      {
        session: true,
        body: PasswordChange,
        detail: { summary: 'Change my password', description: 'My other sessions end; with revokeTokens my API tokens too.' },
      },
    )
    .get('/sessions', async ({ actor }) => ({ sessions: await listSessions(db, actor, deps.config.sessionIdleTimeoutMs) }), {
      signedIn: 'account',
      response: t.Object({ sessions: t.Array(Session) }),
      detail: { summary: 'List my sessions' },
    })
    .delete(
      '/sessions',
      async ({ actor, request, set }) => {
        await revokeOtherSessions(db, actor, auditSourceOf(request, actor))
        set.status = 204
      },
      { signedIn: 'account', detail: { summary: 'End all my other sessions' } },
    )
    .delete(
      '/sessions/:id',
      async ({ actor, params, request, set }) => {
        await revokeSession(db, actor.user.id, params.id, auditSourceOf(request, actor))
        set.status = 204
      },
      { signedIn: 'account', params: t.Object({ id: t.String({ format: 'uuid' }) }), detail: { summary: 'End one of my sessions' } },
    )
    .get(
      '/me',
      async ({ actor: { user, via, token, viewedBy } }) => ({
        user: await withGroups(db, user),
        via,
        ...(token ? { token } : {}),
        ...(viewedBy ? { viewedBy } : {}),
      }),
      {
        signedIn: 'self',
        response: Me,
        detail: { summary: 'Get the signed-in user' },
      },
    )
    .patch(
      '/me',
      async ({ actor, body, request }) => {
        const user = await renameSelf(db, actor, body.name, auditSourceOf(request, actor))
        return { user }
      },
      { signedIn: 'account', body: ProfilePatch, response: UserAnswer, detail: { summary: 'Change my name' } },
    )
    .post(
      '/tokens',
      async ({ actor, body, request, status }) => {
        const tables = body.tables && (await tableIds(actor, body.tables, '/tables'))
        const token = await createToken(db, actor, { ...body, tables }, auditSourceOf(request, actor))
        return status(201, token)
      },
      {
        signedIn: 'account',
        body: NewToken,
        response: { 201: CreatedToken },
        detail: { summary: 'Create an API token', description: 'The value is shown only once. Without a scope it has your full rights.' },
      },
    )
    .get('/tokens', async ({ actor }) => ({ tokens: await listTokens(db, actor.user.id) }), {
      signedIn: 'account',
      response: t.Object({ tokens: t.Array(Token) }),
      detail: { summary: 'List my API tokens' },
    })
    .delete(
      '/tokens/:id',
      async ({ actor, params, request, set }) => {
        await revokeToken(db, actor.user.id, params.id, auditSourceOf(request, actor))
        set.status = 204
      },
      { signedIn: 'account', params: t.Object({ id: t.String({ format: 'uuid' }) }), detail: { summary: 'Revoke an API token' } },
    )
}

/** SEC-67: a page under another name that resolves to us (DNS rebinding) must not be able to claim the service. */
function requireSameHost(request: Request, publicUrl: string | undefined) {
  if (!publicUrl) return
  const { protocol, host } = new URL(publicUrl)
  // Parsed in the same way, so that upper case and an explicit default port make no difference.
  if (URL.parse(`${protocol}//${infoOf(request).host}`)?.host === host) return
  throw forbidden(translatable('Set the service up under its own address, {publicUrl}.', { publicUrl }))
}
