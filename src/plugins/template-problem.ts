import { Failure } from '../errors'
import { translatable } from '../messages/message'

/** A template that cannot be typeset. `problems` have file and line, and are for administrators. */
export class TemplateProblem extends Error {
  constructor(readonly problems: string[]) {
    super(`The template has an error: ${problems[0] ?? 'unknown'}`)
  }
}

/** The failure for an administrator; other callers get a plain 500. */
export const displayProblem = ({ problems }: TemplateProblem, isAdmin: boolean): Failure =>
  isAdmin
    ? new Failure('internal', translatable('The template has an error.'), { details: { problems } })
    : new Failure('internal', translatable('Something went wrong on our side.'))
