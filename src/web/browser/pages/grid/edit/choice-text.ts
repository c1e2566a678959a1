import { columnChoices } from '../../../../../tables/choice-colors'
import { type GridColumn, isSameValue } from '../../../records/values/cell-values'
import { UnreadableInput } from '../../../values/unreadable-input'

const valuesOf = (column: GridColumn) => columnChoices(column).map(({ value }) => value)

/** The choice that the text names exactly, or the only choice that differs in case alone. */
export function findChoice(text: string, column: GridColumn): string | undefined {
  const choices = valuesOf(column)
  if (choices.includes(text)) return text
  const similar = choices.filter((value) => value.toLowerCase() === text.toLowerCase())
  return similar.length === 1 ? similar[0] : undefined
}

/**
 * Reads a list of choices as imports do: one choice, even if it contains commas; a JSON array; or choices separated by
 * commas, unless they can be read as several lists.
 */
export function parseChoices(text: string, column: GridColumn): string[] | UnreadableInput {
  const whole = findChoice(text, column)
  if (whole !== undefined) return [whole]
  return (text.startsWith('[') ? jsonChoices(text, column) : separatedChoices(text, column)) ?? new UnreadableInput(text, 'choice')
}

/** The text of a list of choices. Parsing it yields the same list as long as the column has all these choices. */
export function toChoicesText(list: string[], column: GridColumn): string {
  const text = list.join(', ')
  if (list.length === 0 || isSameValue(parseChoices(text.trim(), column), list)) return text
  const choices = valuesOf(column)
  return list.every((choice) => choices.includes(choice)) ? JSON.stringify(list) : text
}

function jsonChoices(text: string, column: GridColumn): string[] | null {
  try {
    const list: unknown = JSON.parse(text)
    const choices = Array.isArray(list)
      ? list.map((item) => (typeof item === 'string' ? findChoice(item, column) : undefined))
      : [undefined]
    return choices.every((choice) => choice !== undefined) ? choices : null
  } catch {
    return null
  }
}

function separatedChoices(text: string, column: GridColumn): string[] | null {
  const parts = text.split(',')
  const longest = Math.max(1, ...valuesOf(column).map((value) => value.split(',').length))
  /** The lists that the parts from an index on can form; at most two, which prove that the text is ambiguous. */
  const lists: string[][][] = [...parts.map(() => []), [[]]]
  for (let from = parts.length - 1; from >= 0; from--) {
    const lengths = Array.from({ length: Math.min(longest, parts.length - from) }, (_, index) => index + 1)
    lists[from] =
      parts[from]!.trim() === ''
        ? lists[from + 1]!
        : lengths
            .flatMap((length) => {
              const choice = findChoice(
                parts
                  .slice(from, from + length)
                  .join(',')
                  .trim(),
                column,
              )
              return choice === undefined ? [] : lists[from + length]!.map((rest) => [choice, ...rest])
            })
            .slice(0, 2)
  }
  return lists[0]!.length === 1 ? lists[0]![0]! : null
}
