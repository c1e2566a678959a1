import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { InvalidJson } from './field-draft'

/** What is wrong with the values of columns, by their names, and whether that is all there is to say. */
export type FieldProblems = ReadonlyMap<string, string>

/** "/a~1b" → "a/b" (RFC 6901); only the column counts. */
const columnOf = (path: string): string => (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')

/** @param words for JSON that is none, which the service never sees */
export function problemsOf({ columns }: TableView, failure: unknown, words: { noJson: string }): FieldProblems {
  if (failure instanceof InvalidJson) return new Map([[failure.column, words.noJson]])
  if (failure instanceof Incomplete) return new Map(failure.names.map((name) => [name, failure.message]))
  const told = failure instanceof Refusal ? (failure.body.errors ?? []) : []
  const found = told.map(({ path = '', message }) => [columnOf(path), message] as const)
  return new Map(found.filter(([name]) => columns.some((column) => column.name === name)))
}

/** A day or a time that is typed only in part: the browser hands it over as nothing, which would empty the field. */
class Incomplete extends Error {
  constructor(
    readonly names: string[],
    message: string,
  ) {
    super(message)
  }
}

/** @throws Incomplete */
export function refuseIncomplete(form: HTMLFormElement, message: string) {
  const names = [...form.querySelectorAll<HTMLInputElement>('input')].filter(({ validity }) => validity.badInput).map(({ name }) => name)
  if (names.length > 0) throw new Incomplete(names, message)
}
