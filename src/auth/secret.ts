import { randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as 43 characters of base64url (spec 5.2.3, SEC-27, SEC-40). */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * SHA-256 of the string as it was sent: the same bytes can be encoded in four ways as 43 characters, and only one of
 * them is valid (SEC-42).
 */
export const hashSecret = (secret: string): string => Bun.SHA256.hash(secret, 'base64url')

/** Compares two hashes in constant time. */
export const isSameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
