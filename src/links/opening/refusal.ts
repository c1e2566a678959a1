import { Failure, type FailureKind } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * The one response for a link that does not open: unknown, expired, revoked, used up, with an issuer who may no longer
 * read its target, or without the right password.
 */
export const closedLink = () =>
  new Failure('not_found', translatable('This link does not open: it is unknown or has ended, or its password is missing or wrong.'), {
    hint: translatable('Programs send the password of a link in the header X-Link-Password.'),
  })

/** Failures that concern the current state of the service, and not the link. */
const passed: FailureKind[] = [
  ...(['too_many_requests', 'unavailable', 'query_timeout', 'render_failed', 'insufficient_storage', 'internal'] as const),
  ...(['payload_too_large', 'unsupported_media_type', 'method_not_allowed'] as const),
]

/** The visitor does not learn why the target cannot be read. */
export const toLinkFailure = (error: unknown): unknown => (error instanceof Failure && !passed.includes(error.kind) ? closedLink() : error)
