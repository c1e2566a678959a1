import { Failure } from '../errors'

/** Public and stable. Without an explicit reason, the reason is the failure's kind. */
export const refusalReasons = [
  'token_expired',
  'token_revoked',
  'owner_disabled',
  'session_expired',
  'scope_lacks_read',
  'scope_lacks_write',
  'scope_lacks_full',
  'table_not_allowed',
  'all_tables_needed',
  'role_lacks',
  'rule',
  'endpoint',
  'view_only',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

/**
 * A failure whose reason the owner of the credential can read later; the caller's response is unchanged.
 * @param detail the name of a table, a role or a group
 */
export const withReason = ({ kind, text, extras }: Failure, reason: RefusalReason, detail: string | null = null): Failure =>
  new Failure(kind, text, { ...extras, refusal: { reason, detail } })
