import { Failure, type FailureKind } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * The one answer of a link that does not open: unknown, expired, revoked, used up, of an issuer who may not read it any
 * more, without its password or with a wrong one.
 */
export const closedLink = () =>
  new Failure('not_found', translatable('This link does not open: it is unknown or has ended, or its password is missing or wrong.'), {
    hint: translatable('Programs send the password of a link in the header X-Link-Password.'),
  })

/** What says something of the service at this moment, and nothing of the link. */
const passed: FailureKind[] = [
  ...(['too_many_requests', 'unavailable', 'query_timeout', 'render_failed', 'insufficient_storage', 'internal'] as const),
  ...(['payload_too_large', 'unsupported_media_type', 'method_not_allowed'] as const),
]

/** Why something cannot be read is no concern of whoever holds the link. */
export const toLinkFailure = (error: unknown): unknown => (error instanceof Failure && !passed.includes(error.kind) ? closedLink() : error)
