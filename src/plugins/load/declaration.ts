import type { Call } from 'rowhouse/plugin'
import { type BudgetLimit, readBudgetLimit } from '../../auth/budgets'
import { isWebOrigin, webOriginForm } from '../../ops/settings/setting-readers'
import { type Checker, createChecker } from './schemas'
import type { Declared, Definition } from './sdk'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

type AnyCall = Call<unknown, unknown, unknown>

/** An endpoint whose declaration is complete. `path` begins with a slash, and ends with one only if it is `/`. */
export type PluginEndpoint = {
  method: (typeof methods)[number]
  path: string
  isPublic: boolean
  /** Whether it declares `credentials: 'own'`. */
  isOwn: boolean
  title: string | undefined
  description: string | undefined
  /** The endpoint's own body size limit. */
  maxBodyBytes: number | undefined
  /** The origins whose pages may call it and read the response. */
  cors: readonly string[] | undefined
  limit: { perIp: BudgetLimit | undefined; perToken: BudgetLimit | undefined } | undefined
  params: Checker | undefined
  query: Checker | undefined
  body: Checker | undefined
  response: Checker | undefined
  allow: (call: AnyCall) => unknown
  handle: (call: AnyCall) => unknown
  /** The stack trace of the declaration. */
  stack: string
}

const segment = /^(?:[A-Za-z0-9._~-]+|:[A-Za-z_][A-Za-z0-9_]*)$/

/** @throws Error that names the missing or wrong part */
export function readEndpoint({ definition, stack }: Declared): PluginEndpoint {
  const method = methods.find((each) => each === definition.method)
  if (!method) throw new Error(`An endpoint needs "method": one of ${methods.join(', ')}.`)
  const path = readPath(definition.path)
  const fail = (problem: string) => {
    throw new Error(`${method} ${path} ${problem}`)
  }
  const { public: isPublic, credentials } = definition
  if (typeof isPublic !== 'boolean') return fail('does not say whether it is public; write "public: true" or "public: false".')
  if (credentials !== undefined && credentials !== 'own') return fail('has "credentials", which can only be "own".')
  if (credentials === 'own' && !isPublic) return fail('has "credentials: \'own\'" and so has to be "public: true".')
  for (const name of ['allow', 'handle'] as const) if (typeof definition[name] !== 'function') fail(`needs the function "${name}".`)
  if (method === 'GET' && definition.body !== undefined) fail('has a schema for a body, which a GET does not have.')
  return {
    method,
    path,
    isPublic,
    isOwn: credentials === 'own',
    title: readText(definition, 'title'),
    description: readText(definition, 'description'),
    maxBodyBytes: readMaxBody(definition, fail),
    cors: readOrigins(definition, fail),
    limit: readLimit(definition, fail),
    ...readSchemas(definition, fail),
    allow: definition.allow as PluginEndpoint['allow'],
    handle: definition.handle as PluginEndpoint['handle'],
    stack,
  }
}

function readPath(path: unknown): string {
  const isPath = typeof path === 'string' && path.startsWith('/') && path.length <= 300
  const segments = isPath ? path.slice(1).replace(/\/$/, '').split('/') : []
  const isGood = segments.every(
    (part, index) => segment.test(part) || (part === '*' && index === segments.length - 1) || (part === '' && segments.length === 1),
  )
  // Clients and proxies remove segments of dots from a path.
  if (!isPath || !isGood || segments.some((part) => part === '.' || part === '..'))
    throw new Error(
      'An endpoint needs "path": a slash, then letters, digits, ".", "_", "~", "-", ":name" parts, and at most one "*", at the end.',
    )
  const names = segments.filter((part) => part.startsWith(':'))
  if (new Set(names).size < names.length) throw new Error(`The path ${path} has two parts with one name.`)
  return `/${segments.join('/')}`
}

const readText = (definition: Definition, name: string): string | undefined => {
  const value = definition[name]
  return typeof value === 'string' ? value : undefined
}

type Fail = (problem: string) => never | void

function readMaxBody({ maxBodyBytes }: Definition, fail: Fail): number | undefined {
  if (maxBodyBytes !== undefined && !(Number.isSafeInteger(maxBodyBytes) && (maxBodyBytes as number) > 0))
    fail('has "maxBodyBytes", which has to be a whole number of bytes.')
  return maxBodyBytes as number | undefined
}

function readOrigins({ cors }: Definition, fail: Fail): string[] | undefined {
  if (cors === undefined) return undefined
  const isList = Array.isArray(cors) && cors.length > 0 && cors.every((origin) => typeof origin === 'string')
  const isGood = isList && (cors.every(isWebOrigin) || (cors.length === 1 && cors[0] === '*'))
  if (!isGood) fail(`has "cors", which has to be a list of origins (${webOriginForm}), or ['*'].`)
  return [...(cors as string[])]
}

function readLimit({ limit, public: isPublic }: Definition, fail: Fail): PluginEndpoint['limit'] {
  if (limit === undefined) return undefined
  const { perIp, perToken, ...others } = (typeof limit === 'object' && limit !== null ? limit : {}) as Record<string, unknown>
  if ((perIp === undefined && perToken === undefined) || Object.keys(others).length > 0)
    fail('has "limit", which has to have "perIp", "perToken" or both, and nothing else.')
  const read = (name: string, text: unknown): BudgetLimit | undefined => {
    const found = readBudgetLimit(text)
    if (text !== undefined && !found)
      fail(`has "limit.${name}", which has to be a count and a time, such as '30/m': at most 9999999, for each s, m, h or d.`)
    return found ?? undefined
  }
  if (perToken !== undefined && isPublic === true)
    fail('has "limit.perToken" and so has to be "public: false": nobody looks at the token of a public endpoint before it asks.')
  return { perIp: read('perIp', perIp), perToken: read('perToken', perToken) }
}

function readSchemas(definition: Definition, fail: Fail) {
  const read = (name: string): Checker | undefined => {
    if (definition[name] === undefined) return undefined
    try {
      return createChecker(definition[name])
    } catch (error) {
      fail(`has a "${name}" that ${(error as Error).message}.`)
    }
  }
  return { params: read('params'), query: read('query'), body: read('body'), response: read('response') }
}

/** The first endpoint that cannot be mounted beside those before it, and the reason. */
export function findClash(endpoints: readonly PluginEndpoint[]): { endpoint: PluginEndpoint; message: string } | null {
  const taken = new Set<string>()
  const names = new Map<string, string>()
  for (const endpoint of endpoints) {
    const { method, path } = endpoint
    const key = `${method} ${path.replace(/:\w+/g, ':')}`
    if (taken.has(key)) return { endpoint, message: `${method} ${path} is declared twice.` }
    taken.add(key)
    const clash = nameClash(path, names)
    if (clash) return { endpoint, message: `${method} ${path}: another path calls this part ${clash}; give it one name.` }
  }
  return null
}

/**
 * The router knows one name for a parameter at each place: paths with the same beginning must name its parameters
 * alike.
 */
function nameClash(path: string, names: Map<string, string>): string | null {
  let before = ''
  for (const part of path.split('/')) {
    if (part.startsWith(':')) {
      const name = names.get(before)
      if (name !== undefined && name !== part) return name
      names.set(before, part)
    }
    before += `/${part.startsWith(':') ? ':' : part}`
  }
  return null
}
