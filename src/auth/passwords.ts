import { randomBytes } from 'node:crypto'
import { type Failure, unavailable } from '../errors'
import type { Config } from '../ops/config'

/** Hashes and checks passwords with argon2id (SEC-08), a bounded number at a time (SEC-24). Both throw `unavailable` when too many wait. */
export type Passwords = {
  hash: (password: string) => Promise<string>
  /** @param hash a PHC string, or null for an unknown account, which takes the same time and is never right (SEC-02) */
  verify: (hash: string | null, password: string) => Promise<boolean>
}

type Argon2 = { hash: (password: string) => Promise<string>; verify: (hash: string, password: string) => Promise<boolean> }

/** OWASP's floor for argon2id: 19 MiB, two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const queueLength = 64
const longestWaitMs = 3000

export function createPasswords(config: Config): Passwords {
  const turn = createQueue(config.argon2Concurrency)
  // Right form and cost, random digest: costs exactly one verification and can never match.
  const nobody = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${unpadded(16)}$${unpadded(32)}`
  let loading: Promise<Argon2> | null = null
  const argon2 = () => {
    loading ??= loadArgon2()
    return loading
  }
  return {
    hash: (password) => turn(async () => (await argon2()).hash(password)),
    verify: (hash, password) =>
      turn(async () => {
        // A corrupt hash makes `verify` throw; for the caller that is a wrong password (SEC-15).
        const isRight = await (await argon2()).verify(hash ?? nobody, password).catch(() => false)
        return isRight && hash !== null
      }),
  }
}

const unpadded = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')

/** The native addon where it loads; Bun's own argon2id where it does not (a read-only or noexec temporary folder). Same PHC strings. */
async function loadArgon2(): Promise<Argon2> {
  const native = await import('@node-rs/argon2').catch(() => null)
  if (native) return { hash: (password) => native.hash(password, cost), verify: (hash, password) => native.verify(hash, password) }
  const options = { algorithm: 'argon2id', memoryCost: cost.memoryCost, timeCost: cost.timeCost } as const
  return { hash: (password) => Bun.password.hash(password, options), verify: (hash, password) => Bun.password.verify(password, hash) }
}

/** Runs at most `width` jobs at a time; a job that would wait too long, or behind too many, is refused at once. */
function createQueue(width: number) {
  let running = 0
  const waiting: (() => void)[] = []
  const enter = () =>
    new Promise<void>((go, refuse) => {
      if (running < width) {
        running++
        return go()
      }
      if (waiting.length >= queueLength) return refuse(busy())
      const start = () => {
        clearTimeout(timer)
        go()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1)
        refuse(busy())
      }, longestWaitMs)
      waiting.push(start)
    })
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
  return async <T>(job: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await job()
    } finally {
      leave()
    }
  }
}

const busy = (): Failure => unavailable('Too many people are signing in at this moment.', 2)
