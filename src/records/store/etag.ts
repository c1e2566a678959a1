import { Failure } from '../../errors'
import { translatable } from '../../messages/message'

/** The strong entity tag of a version: the row's version, or a hash (`query/sql/record.ts`). */
export const entityTag = (version: string): string => `"${version}"`

/** The version of a response that holds more or less than the record itself, or of a row without a version. */
export const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Whether `If-None-Match` names this version; uses the weak comparison (RFC 9110 section 13.1.2). */
export const matchesNone = (header: string | null, version: string): boolean =>
  header?.split(',').some((tag) => ['*', entityTag(version)].includes(tag.trim().replace(/^W\//, ''))) ?? false

/** Whether `If-Match` is `*`, which allows any version of a record that exists. */
export const isWildcard = (header: string | null): boolean => header?.trim() === '*'

/**
 * The versions that `If-Match` allows, or null when it allows any. The statement compares them with the row's version
 * (`versions` in `query/sql/write.ts`), so that the row cannot change in between. Weak tags match nothing (RFC 9110
 * section 13.1.1).
 * @throws Failure invalid_request
 */
export function allowedVersions(header: string | null): string[] | null {
  if (header === null || isWildcard(header)) return null
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) {
    throw new Failure('invalid_request', translatable('If-Match may contain only entity tags.'), {
      hint: translatable('Send the ETag as you received it, with its quotation marks.'),
    })
  }
  // An ETag of a record is a row's version or a hash.
  return tags.filter((tag) => /^"[0-9a-f.-]{1,80}"$/.test(tag)).map((tag) => tag.slice(1, -1))
}
