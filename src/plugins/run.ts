import { unauthenticated } from '../auth/identity/actor'
import { withReason } from '../auth/refusal-reason'
import { databaseFailure, isFromElsewhere } from '../db/errors'
import { graceMs, type RequestScope } from '../db/pool/scope'
import { Failure, forbidden, unavailable } from '../errors'
import { languageOf } from '../http/request/language'
import { infoOf } from '../http/request/request-info'
import { problem } from '../http/response/errors'
import { translatable, verbatim } from '../messages/message'
import { type CallDeps, type CallRequest, PluginCall } from './call'
import type { PluginEndpoint } from './load/declaration'
import type { Plugin } from './load/load'
import { redactError } from './logger'
import { answerWith } from './response'
import { displayProblem, TemplateProblem } from './template-problem'

type Warn = (message: string) => void

/** Code that runs longer without a pause is logged, because the service answers no other request meanwhile. */
const maxBlockMs = 500

/**
 * Runs one call, from `allow` to the response. An error that the plugin throws becomes a 500 of this call and a line in
 * the log. It affects nothing else.
 * @throws Failure that the plugin did not catch: from `auth`, from the service, or its own
 */
export async function runCall(deps: CallDeps, plugin: Plugin, endpoint: PluginEndpoint, input: CallRequest): Promise<Response> {
  const info = infoOf(input.request)
  const { id } = info
  const limitMs = deps.config.pluginTimeoutMs
  info.takeTimeFor(limitMs)
  // The plugin itself counts as the caller until it asks who calls, and for requests without a credential.
  info.scope.caller ??= `plugin ${plugin.name}`
  info.scope.origin = { userId: null, credential: null, ...info.scope.origin, plugin: plugin.name, requestId: id }
  const about = { plugin: plugin.name, requestId: id, method: endpoint.method, path: endpoint.path }
  const call = new PluginCall(deps, plugin, endpoint, input)
  const warn = (message: string) => deps.events.emit({ kind: 'plugin_warned', ...about, message })
  const fail = (error: unknown) => deps.events.emit({ kind: 'plugin_failed', ...about, error: redactError(error, plugin) })
  const onOurCookie = () => warn('it tried to set the cookie of the session, which was left out')
  const beside = { isHead: call.method === 'HEAD', onOurCookie, onBroken: fail, onEnd: () => PluginCall.close(call) }
  try {
    const value = await limited(call, info.scope, limitMs, warn, () => decide(call, endpoint, warn))
    return await answerWith(value, endpoint, beside)
  } catch (error) {
    PluginCall.close(call)
    if (error instanceof Failure) throw error
    const ofDatabase = isFromElsewhere(error) ? null : databaseFailure(error)
    if (ofDatabase) throw ofDatabase
    fail(error)
    if (error instanceof TemplateProblem)
      return problem(displayProblem(error, await PluginCall.isAdmin(call)), id, languageOf(input.request))
    return problem(new Failure('internal', translatable('Something went wrong on our side.')), id, languageOf(input.request))
  }
}

/** Runs `allow`, then `handle`. @throws Failure when `allow` does not return true */
export function decide(call: PluginCall, { allow, handle }: PluginEndpoint, warn: Warn): unknown {
  const judge = (verdict: unknown) => {
    // Only `true` allows the call: a forgotten `return` must not.
    if (verdict !== true) throw toPluginFailure(call, verdict)
    return timed(warn, () => handle(call))
  }
  const verdict = timed(warn, () => allow(call))
  return isAwaited(verdict) ? Promise.resolve(verdict).then(judge) : judge(verdict)
}

const isAwaited = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Measures how long the work runs up to its first `await`: the service answers no other request meanwhile. */
function timed<T>(warn: Warn, work: () => T): T {
  const startedAt = performance.now()
  const result = work()
  const blockedMs = performance.now() - startedAt
  if (blockedMs > maxBlockMs) warn(`it blocked the service for ${Math.round(blockedMs)} ms`)
  return result
}

function toPluginFailure({ actor }: PluginCall, verdict: unknown): Failure {
  const reason = typeof verdict === 'string' && verdict ? verdict : undefined
  if (actor) return withReason(forbidden(reason === undefined ? undefined : verbatim(reason)), 'endpoint')
  const { text, extras } = unauthenticated()
  return new Failure('unauthenticated', reason === undefined ? text : verbatim(reason), extras)
}

/** Waits at most `limitMs` for the work; drops the result of work that takes longer. @throws Failure unavailable */
async function limited(call: PluginCall, scope: RequestScope, limitMs: number, warn: Warn, work: () => unknown): Promise<unknown> {
  const result = work()
  if (!isAwaited(result)) return result
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      isOver = true
      warn(`it took longer than ${limitMs} ms and was given up`)
      const reason = new Error('The time limit of the call is over.')
      PluginCall.end(call, reason)
      scope.end(reason)
      // Wait for the end of its statements: only then is it known whether they have changed anything.
      void scope.idle(graceMs).then(() => fail(unavailable(translatable('This took too long.'), 5)))
    }, limitMs)
    let isOver = false
    const first = (settle: () => void) => {
      if (isOver) return
      clearTimeout(timer)
      settle()
    }
    Promise.resolve(result).then(
      (value) => first(() => done(value)),
      (error) => first(() => fail(error)),
    )
  })
}
