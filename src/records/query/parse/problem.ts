import { Failure } from '../../../errors'

/** The longest piece of a parameter's name that an error repeats. */
const longestEcho = 100

/** @throws Failure invalid_request that names the parameter; never its value */
export function throwParameterProblem(parameter: string, message: string, hint?: string, position?: number): never {
  const name = parameter.slice(0, longestEcho)
  throw new Failure('invalid_request', `The query parameter "${name}" ${message}`, {
    details: { parameter: name, ...(position === undefined ? {} : { position }) },
    ...(hint === undefined ? {} : { hint }),
  })
}
