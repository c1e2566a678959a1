import { type Message, translatable } from '../../messages/message'

/**
 * The problem of a formula, as a sentence. `position` counts its characters from 1; null if the place is unknown.
 * `predicate` is the sentence without its subject and the place, if it has those.
 */
export class FormulaProblem extends Error {
  constructor(
    readonly text: Message,
    readonly position: number | null = null,
    readonly predicate: Message | null = null,
  ) {
    super(String(text))
  }
}

/** @param problem the rest of a sentence that begins with "The formula" @param position in characters from 1 */
export function problemAt(problem: Message, position: number | null): FormulaProblem {
  const located = position === null ? problem : translatable('{problem} (at character {position})', { problem, position })
  const isQuestion = String(problem).endsWith('?')
  return new FormulaProblem(
    isQuestion ? translatable('The formula {problem}', { problem: located }) : translatable('The formula {problem}.', { problem: located }),
    position,
    problem,
  )
}
