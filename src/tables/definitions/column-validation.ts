import { ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import type { Problem } from '../../errors'
import { type Message, translatable, verbatim } from '../../messages/message'
import { columnTypes } from '../column-types'
import type { ColumnTypeDefinition, Options } from '../column-types/definition'
import { jsonProblem } from '../column-types/json'
import { textProblem } from '../column-types/text'
import type { ColumnDescription } from '../ddl'
import type { NewColumn } from '../model'
import { nearest } from '../nearest'
import { columnNameProblems } from './names'

/** The problems of a requested column that do not depend on any table. */
export function columnProblems(column: NewColumn, path: string): Problem[] {
  return [
    ...columnNameProblems(column.name, `${path}/name`),
    ...optionProblems(column, path),
    ...demandProblems(column, path),
    ...descriptionProblems(column, path),
  ]
}

export function descriptionProblems({ description }: Pick<NewColumn, 'description'>, path: string): Problem[] {
  const problem = textProblem(description ?? '')
  return problem ? [{ path: `${path}/description`, message: translatable('The description {problem}.', { problem }) }] : []
}

export function optionProblems({ type, options = {} }: Pick<NewColumn, 'type' | 'options'>, path: string): Problem[] {
  const definition = columnTypes[type]
  const names = Object.keys(definition.options.properties ?? {})
  const byPath = new Map<string, Problem>()
  for (const { path: place, message, type: kind } of Value.Errors(definition.options, options)) {
    const name = place.slice(1)
    const isUnknown = !names.includes(name) && Object.hasOwn(options, name)
    const problem = {
      path: `${path}/options${place}`,
      message: isUnknown
        ? unknownOption(type, name, names)
        : kind === ValueErrorType.ObjectRequiredProperty
          ? translatable('is required')
          : verbatim(message),
    }
    if (!byPath.has(place)) byPath.set(place, problem)
  }
  if (byPath.size) return [...byPath.values()]
  const found = (definition.optionProblems?.(options) ?? []).map((wrong) => ({ ...wrong, path: `${path}/options${wrong.path}` }))
  return found.length > 0 ? found : unstorableOptions(options, `${path}/options`)
}

/** Options are stored as jsonb, which cannot hold every text of JSON. */
const unstorableOptions = (options: Options, path: string): Problem[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const message = jsonProblem(value)
    return message ? [{ path: `${path}/${name}`, message }] : []
  })

function unknownOption(type: string, name: string, names: string[]): Message {
  const similar = nearest(name, names)
  if (similar !== undefined) return translatable('{type} has no such option; did you mean "{similar}"?', { type, similar })
  return names.length
    ? translatable('{type} has no such option; it has {names}.', { type, names: names.join(', ') })
    : translatable('{type} has no options.', { type })
}

type Demands = Pick<NewColumn, 'type' | 'required' | 'unique' | 'default'>

/** The requested features that the type does not have. */
export function demandProblems({ type, required, unique, default: value }: Demands, path: string): Problem[] {
  const definition = columnTypes[type]
  const problem = (name: string, message: Message): Problem[] => [{ path: `${path}/${name}`, message }]
  return [
    ...(required === true && definition.required === false
      ? problem('required', translatable('A column of the type {type} cannot be required.', { type }))
      : []),
    ...(required === false && definition.required === true
      ? problem('required', translatable('A column of the type {type} always has a value.', { type }))
      : []),
    ...(unique && definition.lacks?.includes('unique')
      ? problem('unique', translatable('A column of the type {type} cannot be unique.', { type }))
      : []),
    ...((value ?? null) !== null && definition.lacks?.includes('default')
      ? problem('default', translatable('A column of the type {type} cannot have a default.', { type }))
      : []),
  ]
}

/** Called once the column's type in PostgreSQL is known, from which a link knows the form of its keys. */
export function defaultProblems({ type, default: value, options, sqlType }: ColumnDescription, path: string): Problem[] {
  if (value === null || value === undefined) return []
  const problem = defaultProblem(columnTypes[type], value, options, sqlType)
  return problem ? [{ path: `${path}/default`, message: translatable('The default {problem}.', { problem }) }] : []
}

const defaultProblem = (definition: ColumnTypeDefinition, value: unknown, options: Options, sqlType: string): Message | null =>
  definition.problem(value, options, sqlType) ?? (isInfinite(value) ? translatable('holds a number that is too large') : null)

/** Defaults are stored as JavaScript reads them, and it reads 1e400 as infinity. */
const isInfinite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(isInfinite) : typeof value === 'number' && !Number.isFinite(value)
