import { literal } from '../sql-text'
import type { OptionProblem, Options, Rule } from './definition'

type Bounds = { min?: string | number; max?: string | number }

/** Options as they are checked already, but for their order. */
const boundsOf = (options: Options): Bounds => options as Bounds

const words = ({ min, max }: Bounds): string =>
  [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`].filter(Boolean).join(' and ')

/**
 * `min` and `max` as one check. `within` are further conditions that hold of every column of the type.
 * @param value the column in SQL
 */
export function rangeRules(value: string, options: Options, sqlType: string, within: { conditions: string[]; message: string }): Rule[] {
  const { min, max } = boundsOf(options)
  const conditions = [
    ...within.conditions,
    ...(min === undefined ? [] : [`${value} >= ${literal(String(min))}::${sqlType}`]),
    ...(max === undefined ? [] : [`${value} <= ${literal(String(max))}::${sqlType}`]),
  ]
  const message = min === undefined && max === undefined ? within.message : `must be ${words({ min, max })}`
  return conditions.length ? [{ name: 'range', condition: conditions.join(' and '), message }] : []
}

/** @param value comparable with `<`: a number, a bigint, or a text of one fixed form */
export function boundsProblem<Value extends number | bigint | string>(
  value: Value,
  options: Options,
  read: (bound: string | number) => Value,
): string | null {
  const { min, max } = boundsOf(options)
  const isOutside = (min !== undefined && value < read(min)) || (max !== undefined && value > read(max))
  return isOutside ? `must be ${words({ min, max })}` : null
}

/** Each bound has to be a value of the column, and the lower one no higher than the other. */
export function boundsProblems(
  options: Options,
  problem: (bound: unknown) => string | null,
  isAbove: (min: string | number, max: string | number) => boolean,
): OptionProblem[] {
  const { min, max } = boundsOf(options)
  const wrong = (['min', 'max'] as const).flatMap((name) => {
    const found = options[name] === undefined ? null : problem(options[name])
    return found ? [{ path: `/${name}`, message: `${name} ${found}.` }] : []
  })
  if (wrong.length || min === undefined || max === undefined || !isAbove(min, max)) return wrong
  return [{ path: '/max', message: 'max is smaller than min.' }]
}
