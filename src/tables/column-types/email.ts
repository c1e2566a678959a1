import { formatted } from './format'

/** Looser than RFC 5321, so that no address that works is refused: something, one @, and a domain with a dot. */
export const email = formatted({
  description: 'An e-mail address.',
  pattern: '^[^ \\t\\r\\n@<>(),;:"]+@[^ \\t\\r\\n@<>(),;:".]+([.][^ \\t\\r\\n@<>(),;:".]+)+$',
  longest: 254,
  message: 'must be an e-mail address, as ada@example.org',
  schema: { format: 'email' },
})
