import { randomBytes } from 'node:crypto'
import type { Config } from '../../ops/settings/config'
import { createSignInQueue } from './queue'

/**
 * Hashes and verifies passwords with argon2id (SEC-08), a bounded number at a time (SEC-24). Both throw `unavailable`
 * when too many are waiting.
 */
export type Passwords = {
  hash: (password: string) => Promise<string>
  /**
   * @param hash a PHC string, or null for an unknown account, which takes the same time and never matches (SEC-02)
   * @param onDamage called when the hash cannot be parsed; the result and the time are those of a wrong password
   * (SEC-15)
   */
  verify: (hash: string | null, password: string, onDamage?: () => void) => Promise<boolean>
  /** Whether a hash was made with weaker parameters than the settings now require (SEC-09). */
  isWeak: (hash: string) => boolean
}

type Argon2 = { hash: (password: string) => Promise<string>; verify: (hash: string, password: string) => Promise<boolean> }

type Cost = { memoryCost: number; timeCost: number; parallelism: 1 }

export function createPasswords(config: Config): Passwords {
  const cost: Cost = { memoryCost: config.argon2MemoryKib, timeCost: config.argon2Passes, parallelism: 1 }
  const turn = createSignInQueue(config.argon2Concurrency)
  // A hash with the right form and cost but a random digest: it takes exactly one verification and can never match.
  const nobody = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${unpadded(16)}$${unpadded(32)}`
  let loading: Promise<Argon2> | null = null
  const argon2 = () => {
    loading ??= loadArgon2(cost)
    return loading
  }
  return {
    hash: (password) => turn(async () => (await argon2()).hash(password)),
    verify: (hash, password, onDamage) =>
      turn(async () => {
        const { verify } = await argon2()
        if (hash === null) return (await verify(nobody, password)) && false
        return verify(hash, password).catch(async () => {
          onDamage?.()
          return (await verify(nobody, password)) && false
        })
      }),
    isWeak: (hash) => {
      const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(hash) ?? []
      return !(Number(memory) >= cost.memoryCost && Number(passes) >= cost.timeCost)
    },
  }
}

const unpadded = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')

/**
 * The native addon if it loads; otherwise (a read-only or noexec temporary folder) Bun's own argon2id. Both use the
 * same PHC strings.
 */
async function loadArgon2(cost: Cost): Promise<Argon2> {
  const native = await import('@node-rs/argon2').catch(() => null)
  if (native) return { hash: (password) => native.hash(password, cost), verify: (hash, password) => native.verify(hash, password) }
  const options = { algorithm: 'argon2id', memoryCost: cost.memoryCost, timeCost: cost.timeCost } as const
  return { hash: (password) => Bun.password.hash(password, options), verify: (hash, password) => Bun.password.verify(password, hash) }
}
