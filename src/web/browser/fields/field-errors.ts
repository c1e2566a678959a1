import type { TableView } from '../../../tables/model'
import { ApiError } from '../api/api-error'
import { InvalidJson } from './field-draft'

/** The errors of fields, by column name. */
export type FieldErrors = ReadonlyMap<string, string>

/** "/a~1b" → "a/b" (RFC 6901). Only the column is used. */
const columnOf = (path: string): string => (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')

/** @param words the message for invalid JSON, which is never sent to the service */
export function toFieldErrors({ columns }: TableView, failure: unknown, words: { noJson: string }): FieldErrors {
  if (failure instanceof InvalidJson) return new Map([[failure.column, words.noJson]])
  if (failure instanceof IncompleteInput) return new Map(failure.names.map((name) => [name, failure.message]))
  const errors = failure instanceof ApiError ? (failure.body.errors ?? []) : []
  const found = errors.map(({ path = '', message }) => [columnOf(path), message] as const)
  return new Map(found.filter(([name]) => columns.some((column) => column.name === name)))
}

/** A partly filled date or time control: its value is empty, which would clear the field. */
class IncompleteInput extends Error {
  constructor(
    readonly names: string[],
    message: string,
  ) {
    super(message)
  }
}

/** @throws IncompleteInput */
export function requireComplete(form: HTMLFormElement, message: string) {
  const names = [...form.querySelectorAll<HTMLInputElement>('input')].filter(({ validity }) => validity.badInput).map(({ name }) => name)
  if (names.length > 0) throw new IncompleteInput(names, message)
}
