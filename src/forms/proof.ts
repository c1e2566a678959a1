import { randomBytes } from 'node:crypto'
import { createKeyedHash } from '../auth/keyed-hash'
import { isSameHash } from '../auth/secret'
import type { Db } from '../db/pool/open'

/**
 * Proof of work (docs/decisions/030): a sender finds a number with which the SHA-256 of the challenge begins with this
 * many zero bits. That takes a browser about half a second, and makes a flood of submissions expensive.
 */
export const proofDifficulty = 17
const lifetimeS = 2 * 60 * 60

export type ProofProblem = 'wrong' | 'expired' | 'used'

export type Proofs = {
  /** A challenge for one submission of the form. */
  challenge: (formId: string) => Promise<string>
  /** Consumes the proof, whatever the outcome of the submission. Null if it is valid. */
  use: (formId: string, proof: string) => Promise<ProofProblem | null>
}

/** `{expiry in seconds}.{random}.{signature}`; the signature also covers the form. */
const challengePattern = /^(\d{10,12})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43}):\d{1,15}$/

export function createProofs(db: Db): Proofs {
  const keyedHash = createKeyedHash(db)
  const sign = async (formId: string, statement: string) => (await keyedHash())(`form-proof|${formId}|${proofDifficulty}|${statement}`)
  return {
    challenge: async (formId) => {
      const statement = `${Math.floor(Date.now() / 1000) + lifetimeS}.${randomBytes(12).toString('base64url')}`
      return `${statement}.${await sign(formId, statement)}`
    },
    use: async (formId, proof) => {
      const [, expiry, random, signature] = challengePattern.exec(proof) ?? []
      if (expiry === undefined || !hasZeroBits(proof)) return 'wrong'
      const statement = `${expiry}.${random}`
      if (!isSameHash(await sign(formId, statement), signature!)) return 'wrong'
      if (Number(expiry) <= Date.now() / 1000) return 'expired'
      const insert = `insert into rowhouse.form_proofs (hash, expires_at)
        values ($1, pg_catalog.to_timestamp($2::float8)) on conflict do nothing returning hash`
      return (await db.query(insert, [statement, expiry])).length > 0 ? null : 'used'
    },
  }
}

function hasZeroBits(proof: string): boolean {
  const hash = new Bun.CryptoHasher('sha256').update(proof).digest()
  return hash.readUInt32BE(0) >>> (32 - proofDifficulty) === 0
}

/** Used proofs are remembered until some time after they expire, since the clocks of instances differ. */
export async function pruneFormProofs(db: Db): Promise<void> {
  await db.query("delete from rowhouse.form_proofs where expires_at < now() - interval '1 hour'")
}
