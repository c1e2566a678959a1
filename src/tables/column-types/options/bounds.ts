import { type Message, translatable } from '../../../messages/message'
import { literal } from '../../sql-text'
import type { OptionProblem, Options, Rule } from '../definition'

type Bounds = { min?: string | number; max?: string | number }

/** Options that are already checked, except for their order. */
const boundsOf = (options: Options): Bounds => options as Bounds

const withinBounds = ({ min, max }: Bounds): Message =>
  min === undefined
    ? translatable('must be at most {max}', { max: max! })
    : max === undefined
      ? translatable('must be at least {min}', { min })
      : translatable('must be at least {min} and at most {max}', { min, max })

/**
 * `min` and `max` as one check. `within` contains further conditions of every column of the type.
 * @param value the column in SQL
 */
export function rangeRules(
  value: string,
  options: Options,
  sqlType: string,
  within: { conditions: string[]; message: Message | null },
): Rule[] {
  const { min, max } = boundsOf(options)
  const conditions = [
    ...within.conditions,
    ...(min === undefined ? [] : [`${value} >= ${literal(String(min))}::${sqlType}`]),
    ...(max === undefined ? [] : [`${value} <= ${literal(String(max))}::${sqlType}`]),
  ]
  const message = min === undefined && max === undefined ? within.message : withinBounds({ min, max })
  return message && conditions.length ? [{ name: 'range', condition: conditions.join(' and '), message }] : []
}

/** @param value comparable with `<`: a number, a bigint, or a text of one fixed form */
export function boundsProblem<Value extends number | bigint | string>(
  value: Value,
  options: Options,
  read: (bound: string | number) => Value,
): Message | null {
  const { min, max } = boundsOf(options)
  const isOutside = (min !== undefined && value < read(min)) || (max !== undefined && value > read(max))
  return isOutside ? withinBounds({ min, max }) : null
}

/** Each bound has to be a value of the column, and the lower one no higher than the other. */
export function boundsProblems(
  options: Options,
  problem: (bound: unknown) => Message | null,
  isAbove: (min: string | number, max: string | number) => boolean,
): OptionProblem[] {
  const { min, max } = boundsOf(options)
  const wrong = (['min', 'max'] as const).flatMap((name): OptionProblem[] => {
    const found = options[name] === undefined ? null : problem(options[name])
    return found ? [{ path: `/${name}`, message: translatable('{name} {found}.', { name, found }) }] : []
  })
  if (wrong.length || min === undefined || max === undefined || !isAbove(min, max)) return wrong
  return [{ path: '/max', message: translatable('max is smaller than min.') }]
}
