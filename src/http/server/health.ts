import { Elysia, t } from 'elysia'
import type { Deps } from '../../deps'
import { apiVersion, commit, version } from '../../ops/version'
import { withTimeout } from '../../timeout'
import { pathOf } from '../request/url'
import { isSafe } from '../response/errors'

const Readiness = t.Object({
  status: t.Union([t.Literal('ok'), t.Literal('degraded'), t.Literal('unavailable')]),
  checks: t.Object({
    database: t.Union([t.Literal('ok'), t.Literal('unavailable')]),
    storage: t.Union([t.Literal('ok'), t.Literal('unavailable'), t.Literal('mismatch'), t.Literal('moved')], {
      description: 'The storage of files. `mismatch`: it belongs to another database. `moved`: the files were moved to another storage.',
    }),
    serving: t.Boolean(),
    failedPlugins: t.Integer(),
    backup: t.Union([t.Literal('off'), t.Literal('ok'), t.Literal('failed'), t.Literal('late'), t.Literal('unknown')], {
      description:
        '`off`: no schedule. `failed`: the last one that the service has made is not proven. `late`: the last proven one that is there is older than two times of the schedule. `unknown`: the database is away.',
    }),
    backupAgeSeconds: t.Nullable(
      t.Integer({ description: 'Time since the last proven backup began; null without a backup or a schedule.' }),
    ),
    walArchive: t.Union([t.Literal('off'), t.Literal('unused'), t.Literal('ok'), t.Literal('late')], {
      description:
        '`late`: the archive of the log cannot be written to, or is behind by more than a minute. `unused`: the settings name one, and the database was moved to a server of your own.',
    }),
    walArchiveLagSeconds: t.Nullable(
      t.Integer({ description: 'The time for which the oldest part of the log has not been archived; null without an archive.' }),
    ),
  }),
})

/** The prefixes of routes that are mounted at both roots. A type of its own, so that typed clients know the paths. */
export type Root = '' | '/api/v1'

const aliveness = () => ({ status: 'ok' as const })
const versions = () => ({ version, commit, api: apiVersion })

/** Longer than a busy database needs for an empty query, shorter than the timeouts of load balancers. */
const maxProbeMs = 2000

/**
 * Open to everyone (spec 5.4): states and counts only, no names. A failed plugin, storage or backup is not a reason to
 * send requests elsewhere.
 */
export const healthRoutes = <Prefix extends Root>(deps: Deps, prefix: Prefix, failedPlugins: number) =>
  new Elysia({ name: `http/health${prefix}`, prefix, tags: ['health'] })
    .get('/healthz', aliveness, {
      response: t.Object({ status: t.Literal('ok') }),
      detail: { summary: 'Check whether the process is alive', description: 'Does not use the database.', security: [] },
    })
    .get(
      '/readyz',
      async ({ status }) => {
        const serving = deps.isServing()
        const [database, storage, backup] = await Promise.all([
          probe(deps.db.query('select 1').then(() => 'ok' as const)),
          // Before that, the database may lack the table that this queries.
          serving ? probe(deps.storageIdentity.state()) : ('unavailable' as const),
          serving ? probe(deps.backups.state()) : ('unavailable' as const),
        ])
        const isReady = database === 'ok' && storage !== 'mismatch' && serving
        const { state: backupState, ageSeconds } = backup === 'unavailable' ? { state: 'unknown' as const, ageSeconds: null } : backup
        const { state: walArchive, lagSeconds } = deps.walArchiver.state()
        const isWhole =
          storage === 'ok' && failedPlugins === 0 && backupState !== 'late' && backupState !== 'failed' && walArchive !== 'late'
        const state = isReady ? (isWhole ? 'ok' : 'degraded') : 'unavailable'
        return status(isReady ? 200 : 503, {
          status: state,
          checks: {
            ...{ database, storage, serving, failedPlugins, backup: backupState, backupAgeSeconds: ageSeconds },
            ...{ walArchive, walArchiveLagSeconds: lagSeconds },
          },
        })
      },
      {
        response: { 200: Readiness, 503: Readiness },
        detail: { summary: 'Check whether the service is ready for requests', security: [] },
      },
    )
    .get('/version', versions, {
      response: t.Object({ version: t.String(), commit: t.String(), api: t.Literal('v1') }),
      detail: { summary: 'Get the version', security: [] },
    })

/** The checks that need no database, for a process that has no routes at the time. Null for other requests. */
export function answerProcessCheck(request: Request): Response | null {
  if (!isSafe(request)) return null
  const path = pathOf(request.url).replace(/^\/api\/v1(?=\/)|\/$/g, '')
  if (path === '/healthz') return Response.json(aliveness())
  return path === '/version' ? Response.json(versions()) : null
}

const probe = <State>(state: Promise<State>): Promise<State | 'unavailable'> =>
  withTimeout(state, maxProbeMs, () => 'unavailable' as const).catch(() => 'unavailable' as const)
