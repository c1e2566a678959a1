import { formatted } from './format'

/** Web addresses only: a cell is shown as a link, and `javascript:` must never be one. */
export const url = formatted({
  description: 'A web address: http or https.',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^ \\t\\r\\n/?#]+([/?#][^ \\t\\r\\n]*)?$',
  longest: 4000,
  message: 'must be a web address, as https://example.org/page',
  schema: { format: 'uri' },
})
