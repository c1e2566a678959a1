import { operator } from '../../../db/search-path'
import { leafConditions } from '../plan/leaf-conditions'
import type { LevelPlan, PlannedCondition } from '../plan/types'
import type { StatementWriter } from './statement'

type Constant = StatementWriter['parameter']

/**
 * The values with which the filters of a level compare, as expressions that need no row: evaluating them fails if
 * PostgreSQL cannot read a value, even if no record is compared with it.
 */
export const constantTexts = (plan: LevelPlan, constant: Constant): string[] =>
  leafConditions(plan).flatMap((condition) => {
    switch (condition.kind) {
      case 'matches': {
        const language = condition.language === undefined ? '' : `${constant(condition.language, 'regconfig')}, `
        return [`pg_catalog.${condition.reader}(${language}${constant(condition.value, 'text')})`]
      }
      case 'oneOf':
        return condition.values.map((value) => constant(value, condition.type))
      case 'comparison':
        return [comparedConstant(condition, constant)]
      default:
        return []
    }
  })

/** A regular expression is not parsed before it is compared with a text. */
function comparedConstant(
  { operator: name, quantifier, value, type }: Extract<PlannedCondition, { kind: 'comparison' }>,
  constant: Constant,
): string {
  const text = constant(value, quantifier ? `${type}[]` : type)
  if (name !== '~' && name !== '~*') return text
  const expressions = quantifier ? text : `array[${text}]`
  return `exists (select from pg_catalog.unnest(${expressions}) e (v) where ('' ${operator('~')} e.v::text) is null)`
}
