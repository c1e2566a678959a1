import { Failure } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'

/** The longest part of a parameter's name that an error repeats. */
const longestEcho = 100

/** @throws Failure invalid_request that names the parameter; never its value */
export function throwParameterProblem(parameter: string, message: Message, hint?: Message, position?: number): never {
  const name = parameter.slice(0, longestEcho)
  throw new Failure('invalid_request', translatable('The query parameter "{name}" {message}', { name, message }), {
    details: { parameter: name, ...(position === undefined ? {} : { position }) },
    ...(hint === undefined ? {} : { hint }),
  })
}
