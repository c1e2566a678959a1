import type { TableView } from '../../../tables/model'
import { ApiError } from '../api/api-error'
import type { Strings } from '../strings/en'
import { draftProblem, UnreadableDraft } from './field-draft'

/** The errors of fields, by column name. */
export type FieldErrors = ReadonlyMap<string, string>

/** "/a~1b" → "a/b" (RFC 6901). Only the column is used, also in a batch of one record. */
const columnOf = (path: string): string =>
  (path.replace(/^\/operations\/0\/body/, '').split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')

export function toFieldErrors({ columns }: TableView, failure: unknown, { inputProblems }: Strings['grid']): FieldErrors {
  if (failure instanceof UnreadableDraft) {
    const { column, draft } = failure
    return new Map([[column.name, draftProblem(inputProblems, column, draft) ?? '']])
  }
  const errors = failure instanceof ApiError ? (failure.body.errors ?? []) : []
  const found = errors.map(({ path = '', message }) => [columnOf(path), message] as const)
  return new Map(found.filter(([name]) => columns.some((column) => column.name === name)))
}
