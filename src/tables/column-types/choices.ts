import { t } from 'elysia'
import type { OptionProblem, Options } from './definition'
import { textProblem } from './text'

type Choice = string | { value: string; color?: string }

const ChoiceValue = t.String({ minLength: 1, maxLength: 200 })

/** More would make a check that PostgreSQL walks through for every row, and a menu that nobody reads. */
export const mostChoices = 1000

export const Choices = t.Object(
  {
    choices: t.Array(
      t.Union([
        ChoiceValue,
        t.Object({ value: ChoiceValue, color: t.Optional(t.String({ maxLength: 40 })) }, { additionalProperties: false }),
      ]),
      {
        maxItems: mostChoices,
        description: 'Words, or {value, color}.',
      },
    ),
  },
  { additionalProperties: false },
)

/** The words alone, in their order. */
export const choicesOf = ({ choices = [] }: Options): string[] =>
  (choices as Choice[]).map((choice) => (typeof choice === 'string' ? choice : choice.value))

export function choiceProblems(options: Options): OptionProblem[] {
  const seen = new Set<string>()
  return choicesOf(options).flatMap((choice, index): OptionProblem[] => {
    const isRepeated = seen.has(choice)
    seen.add(choice)
    const problem = textProblem(choice) ?? (isRepeated ? 'stands in the list already' : null)
    return problem ? [{ path: `/choices/${index}`, message: `This choice ${problem}.` }] : []
  })
}

const mostNamed = 10

/** The rest of a sentence. */
export function choiceMessage(options: Options, verb = 'must be one of'): string {
  const choices = choicesOf(options)
  const named = choices.slice(0, mostNamed).map((choice) => JSON.stringify(choice))
  const more = choices.length > mostNamed ? ` and ${choices.length - mostNamed} more` : ''
  return choices.length ? `${verb} ${named.join(', ')}${more}` : 'has no choices yet, so nothing fits'
}
