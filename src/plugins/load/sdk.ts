import { type TSchema, Type } from '@sinclair/typebox'
import { plugin as extendRuntime } from 'bun'
import { Failure, type FailureKind, failureKinds } from '../../errors'
import { verbatim } from '../../messages/message'
import { onUnload } from './unloading'

type Door = typeof import('rowhouse/plugin')

/** The argument of `endpoint(…)` before it is checked: a plugin may be JavaScript. */
export type Definition = Record<string, unknown>

export type Declared = { kind: 'endpoint' | 'documentTemplate'; definition: Definition; stack: string }

/**
 * Only the functions of `rowhouse/plugin` make a declaration; an object with the same members is not one. `stack` is
 * the stack trace of the declaration.
 */
const declarations = new WeakMap<object, Declared>()

export const declaredBy = (value: unknown): Declared | undefined =>
  typeof value === 'object' && value !== null ? declarations.get(value) : undefined

function declare(kind: Declared['kind'], definition: unknown): object {
  if (typeof definition !== 'object' || definition === null) throw new TypeError(`${kind}(…) needs an object.`)
  const made = Object.freeze({})
  // A copy, so that later changes of the plugin's own object have no effect.
  declarations.set(made, { kind, definition: Object.freeze({ ...definition }), stack: new Error('declared here').stack ?? '' })
  return made
}

/** Checks the code, since a plugin may be JavaScript. @throws TypeError */
function knownCode<Code extends FailureKind>(code: Code): Code {
  if (!failureKinds.includes(code)) throw new TypeError('failure(…) was given an unknown code.')
  return code
}

/** Plain TypeBox: Elysia's own number types also accept texts. */
const schemas = { ...Type, Nullable: (schema: TSchema, options = {}) => Type.Union([schema, Type.Null()], options) }

const door: Door = {
  t: schemas as unknown as Door['t'],
  endpoint: ((definition: unknown) => declare('endpoint', definition)) as Door['endpoint'],
  documentTemplate: ((definition: unknown) => declare('documentTemplate', definition)) as Door['documentTemplate'],
  onUnload,
  failure: (code, message) =>
    new Failure(
      knownCode(code),
      verbatim(String(message)),
      code === 'unauthenticated' ? { headers: { 'www-authenticate': 'Bearer realm="service"' } } : {},
    ),
}

let isOpen = false

/** Makes `import … from 'rowhouse/plugin'` work in code that is loaded from now on, also in the executable. */
export function openDoor() {
  if (isOpen) return
  isOpen = true
  extendRuntime({
    name: 'rowhouse/plugin',
    setup: (build) => void build.module('rowhouse/plugin', () => ({ exports: door, loader: 'object' })),
  })
}
