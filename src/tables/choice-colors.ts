/** The palette of choices: CSS color names, which every client knows. The default color depends on the position. */
export const choiceColors = [
  'royalblue',
  'seagreen',
  'darkorange',
  'crimson',
  'rebeccapurple',
  'teal',
  'gold',
  'hotpink',
  'sienna',
  'gray',
] as const

export type ChoiceColor = (typeof choiceColors)[number]

/** The default color of a choice, by its position. */
export const colorAt = (index: number): ChoiceColor => choiceColors[index % choiceColors.length]!

/** A color for a new choice: the first unused one. */
export const nextColor = (used: readonly string[]): string => choiceColors.find((color) => !used.includes(color)) ?? colorAt(used.length)

/** A color for something without a position, such as a person: the same for the same text. */
export function colorOfText(text: string): string {
  let hash = 0
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 65_521
  return colorAt(hash)
}

type WithOptions = { options: Readonly<Record<string, unknown>> }

export type ColumnChoice = { value: string; color: string }

const choicesByOptions = new WeakMap<object, ColumnChoice[]>()

/** The choices of a column. A choice without a color has the default color of its position. */
export function columnChoices({ options }: WithOptions): ColumnChoice[] {
  const cached = choicesByOptions.get(options)
  if (cached) return cached
  const choices = ((options.choices as (string | { value: string; color?: string })[] | undefined) ?? []).map((choice, index) =>
    typeof choice === 'string' ? { value: choice, color: colorAt(index) } : { value: choice.value, color: choice.color || colorAt(index) },
  )
  choicesByOptions.set(options, choices)
  return choices
}

const colorsByChoices = new WeakMap<ColumnChoice[], Map<string, string>>()

/** The color of a value; undefined if it is no longer a choice of the column. */
export function choiceColor(column: WithOptions, value: string): string | undefined {
  const choices = columnChoices(column)
  const colors = colorsByChoices.get(choices) ?? new Map(choices.map((choice) => [choice.value, choice.color]))
  colorsByChoices.set(choices, colors)
  return colors.get(value)
}
