/**
 * The author of a request's changes, for the change log (docs/history.md). `plugin` names the plugin that makes them,
 * for the caller or for no one.
 */
export type WriteOrigin = {
  userId: string | null
  credential: { kind: 'session' | 'token' | 'link' | 'form'; id: string } | null
  plugin: string | null
  requestId: string
}

/** The service itself. */
const none = ''

/**
 * The value of the setting `rowhouse.origin`, which `rowhouse.log_changes` reads: four words and a table id, `-` for an
 * empty one. No part holds a space or a comma.
 * @param origins of the requests that share a statement, all of one user with one credential
 * @param tableId the table that they write to, if there are several
 */
export function originText(origins: readonly (WriteOrigin | undefined)[], tableId?: string): string {
  const [first] = origins
  if (!first) return none
  const requests = origins.map((each) => each?.requestId ?? '')
  return `${writerOf(first)} ${first.plugin ?? '-'} ${requests.join(',')}${tableId ? ` ${tableId}` : ''}`
}

/** Requests of the same writer may share a statement. */
export const writerOf = ({ userId, credential }: WriteOrigin): string =>
  `${userId ?? '-'} ${credential ? `${credential.kind}:${credential.id}` : '-'}`

/** Sets the origin for the rest of the transaction. Its parameter is `originText`. */
export const setOrigin = `select pg_catalog.set_config('rowhouse.origin', $1::text, true)`
