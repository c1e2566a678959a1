import type { LevelPlan, PlannedCondition } from './types'

type Leaf = Exclude<PlannedCondition, { kind: 'every' | 'some' | 'not' | 'isNotTrue' | 'exists' }>

/** The conditions of a level, of its embeddings, and of filters along links that contain no other conditions. */
export const leafConditions = ({ condition, embeddings }: LevelPlan): Leaf[] => [
  ...(condition ? leavesOf(condition) : []),
  ...embeddings.flatMap(leafConditions),
]

function leavesOf(condition: PlannedCondition): Leaf[] {
  if ('conditions' in condition) return condition.conditions.flatMap(leavesOf)
  if ('condition' in condition) return leavesOf(condition.condition)
  return condition.kind === 'exists' ? leafConditions(condition.embedding) : [condition]
}
