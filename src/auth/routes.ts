import { Elysia, t } from 'elysia'
import type { Deps } from '../deps'
import { forbidden } from '../errors'
import { infoOf } from '../http/request-info'
import { checkCredentials } from './accounts'
import { clearCookie, setCookie } from './cookie'
import { readSessionCookie } from './credential'
import { authHooks } from './hooks'
import { CreatedToken, Credentials, Me, NewToken, SetupRequest, SetupStatus, Token, UserAnswer } from './model'
import { beginSession, type Client, endSession } from './sessions'
import { completeSetup, forgetSetupCode, isSetupRequired } from './setup'
import { createToken, listTokens, revokeToken } from './tokens'

/** Mounted twice, at `/auth` and at `/api/v1/auth`: the spec writes both forms. */
export const authRoutes = (deps: Deps, prefix: string) => {
  const { db, passwords } = deps
  return new Elysia({ name: `auth/routes${prefix}`, prefix: `${prefix}/auth`, tags: ['auth'] })
    .use(authHooks(deps))
    .get('/setup-status', async () => ({ setupRequired: await isSetupRequired(db) }), {
      open: true,
      response: SetupStatus,
      detail: { summary: 'Does the first administrator still have to be made?', security: [] },
    })
    .post(
      '/setup',
      async ({ body, request, set, status }) => {
        const user = await completeSetup(db, passwords, body)
        forgetSetupCode(deps.config.dataDir)
        set.headers['set-cookie'] = setCookie(await beginSession(db, user.id, clientOf(request)), infoOf(request))
        return status(201, { user })
      },
      {
        open: true,
        body: SetupRequest,
        response: { 201: UserAnswer },
        detail: {
          summary: 'Make the first administrator',
          description: 'Once, with the one-time code that the start prints.',
          security: [],
        },
      },
    )
    .post(
      '/login',
      async ({ body, request, set }) => {
        const user = await checkCredentials(db, passwords, body)
        const replaced = cookieOf(request)
        set.headers['set-cookie'] = setCookie(await beginSession(db, user.id, clientOf(request), replaced), infoOf(request))
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
        if (!actor.sessionId) throw forbidden()
        await endSession(db, actor.user.id, actor.sessionId)
        set.headers['set-cookie'] = clearCookie(infoOf(request))
        set.status = 204
      },
      { session: true, detail: { summary: 'Sign out', description: 'Ends the session of the cookie on every instance.' } },
    )
    .get('/me', ({ actor: { user, via, token } }) => ({ user, via, ...(token ? { token } : {}) }), {
      signedIn: 'self',
      response: Me,
      detail: { summary: 'Who am I?' },
    })
    .post('/tokens', async ({ actor, body, status }) => status(201, await createToken(db, actor, body)), {
      signedIn: 'account',
      body: NewToken,
      response: { 201: CreatedToken },
      detail: { summary: 'Make an API token', description: 'The value is shown this once. Without a scope it has your full rights.' },
    })
    .get('/tokens', async ({ actor }) => ({ tokens: await listTokens(db, actor.user.id) }), {
      signedIn: 'account',
      response: t.Object({ tokens: t.Array(Token) }),
      detail: { summary: 'List my API tokens' },
    })
    .delete(
      '/tokens/:id',
      async ({ actor, params, set }) => {
        await revokeToken(db, actor.user.id, params.id)
        set.status = 204
      },
      { signedIn: 'account', params: t.Object({ id: t.String({ format: 'uuid' }) }), detail: { summary: 'Revoke an API token' } },
    )
}

const clientOf = (request: Request): Client => ({ address: infoOf(request).address, agent: request.headers.get('user-agent') ?? '' })

/** The browser's earlier session; only a cookie is one, whatever else was sent. */
function cookieOf(request: Request): string | undefined {
  const credential = readSessionCookie(request.headers.get('cookie'))
  return credential && !credential.fault ? credential.secret : undefined
}
