import { Failure } from '../errors'

/** The row's version (xmin) as a strong entity tag. */
export const entityTag = (version: string): string => `"${version}"`

/** Whether `If-None-Match` names this version; the comparison is the weak one (RFC 9110 section 13.1.2). */
export const matchesNone = (header: string | null, version: string): boolean =>
  header?.split(',').some((tag) => ['*', entityTag(version)].includes(tag.trim().replace(/^W\//, ''))) ?? false

/**
 * The versions that `If-Match` allows, or null when any will do. Weak tags match nothing (RFC 9110 section 13.1.1).
 * @throws Failure invalid_request
 */
export function allowedVersions(header: string | null): string[] | null {
  if (header === null || header.trim() === '*') return null
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    throw new Failure('invalid_request', 'If-Match holds something else than entity tags.', {
      hint: 'Send the ETag as it came, with its quotation marks.',
    })
  }
  return tags.filter((tag) => /^"\d+"$/.test(tag)).map((tag) => tag.slice(1, -1))
}
