import type { Call } from 'rowhouse/plugin'
import { type Checker, createChecker } from './schemas'
import type { Declared, Definition } from './sdk'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

type AnyCall = Call<unknown, unknown, unknown>

/** An endpoint whose declaration is complete. `path` begins with a slash, and ends with one only if it is `/`. */
export type PluginEndpoint = {
  method: (typeof methods)[number]
  path: string
  isPublic: boolean
  /** `credentials: 'own'` */
  isOwn: boolean
  title: string | undefined
  description: string | undefined
  /** The endpoint's own limit of a body. */
  maxBodyBytes: number | undefined
  params: Checker | undefined
  query: Checker | undefined
  body: Checker | undefined
  response: Checker | undefined
  allow: (call: AnyCall) => unknown
  handle: (call: AnyCall) => unknown
  /** The stack trace of the declaration. */
  place: string
}

const segment = /^(?:[A-Za-z0-9._~-]+|:[A-Za-z_][A-Za-z0-9_]*)$/

/** @throws Error that names the missing or wrong part */
export function readEndpoint({ definition, place }: Declared): PluginEndpoint {
  const method = methods.find((known) => known === definition.method)
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
    maxBodyBytes: readLimit(definition, fail),
    ...readSchemas(definition, fail),
    allow: definition.allow as PluginEndpoint['allow'],
    handle: definition.handle as PluginEndpoint['handle'],
    place,
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

function readLimit({ maxBodyBytes }: Definition, fail: (problem: string) => never | void): number | undefined {
  if (maxBodyBytes !== undefined && !(Number.isSafeInteger(maxBodyBytes) && (maxBodyBytes as number) > 0))
    fail('has "maxBodyBytes", which has to be a whole number of bytes.')
  return maxBodyBytes as number | undefined
}

function readSchemas(definition: Definition, fail: (problem: string) => never | void) {
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
      const known = names.get(before)
      if (known !== undefined && known !== part) return known
      names.set(before, part)
    }
    before += `/${part.startsWith(':') ? ':' : part}`
  }
  return null
}
