import { Failure, type Problem } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'

/**
 * A cell of the file that the caller replaces. `line` and `column` are those of the problems; `was` is its text in the
 * file, if the caller wants to be sure of that.
 */
export type Correction = { line: number; column: string; value: string; was?: string }

const maxCorrections = 1000
const maxLength = 10_000
const members = ['line', 'column', 'value', 'was']

/**
 * @param text the field of the form, JSON
 * @returns null if there is no such field
 * @throws Failure invalid_request, with the paths
 */
export function readCorrections(text: string | undefined): Correction[] | null {
  if (text === undefined) return null
  const list = parseList(text)
  if (!list) throw correctionsRefused([{ path: '/corrections', message: translatable('must be a JSON array') }])
  if (list.length > maxCorrections)
    throw correctionsRefused([
      { path: '/corrections', message: translatable('must have at most {maxCorrections} items', { maxCorrections }) },
    ])
  const problems = list.flatMap((item, index) => itemProblems(item).map((problem) => atCorrection(index, ...problem)))
  if (problems.length) throw correctionsRefused(problems)
  return list as Correction[]
}

/** @param member of the correction; empty for the whole of it */
export const atCorrection = (index: number, member: string, message: Message): Problem => ({
  path: `/corrections/${index}${member && `/${member}`}`,
  message,
})

export const correctionsRefused = (errors: Problem[]) =>
  new Failure('invalid_request', translatable('Some corrections do not fit the file; nothing was imported.'), {
    errors: errors.slice(0, 100),
  })

function parseList(text: string): unknown[] | null {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}

function itemProblems(item: unknown): [string, Message][] {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return [['', translatable('must be an object')]]
  const { line, column, value, was } = item as Record<string, unknown>
  const unknown = Object.keys(item).find((name) => !members.includes(name))
  return [
    ...(unknown === undefined ? [] : [[unknown.slice(0, 80), translatable('is not a member of a correction')] as [string, Message]]),
    ...(Number.isSafeInteger(line) && (line as number) > 0
      ? []
      : [['line', translatable('must be the number of a line')] as [string, Message]]),
    ...textProblem('column', column),
    ...textProblem('value', value),
    ...(was === undefined ? [] : textProblem('was', was)),
  ]
}

function textProblem(name: string, text: unknown): [string, Message][] {
  if (typeof text !== 'string' || text.length > maxLength)
    return [[name, translatable('must be a text of at most {maxLength} characters', { maxLength })]]
  return text.includes('\0') || !text.isWellFormed() ? [[name, translatable('contains a character that text cannot hold')]] : []
}
