import { type TSchema, TypeGuard } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import type { Problem } from '../../errors'
import { type MessageLanguage, verbatim } from '../../messages/message'
import { convertedSetting } from './conversion'
import { schemaIn } from './localized-text'
import { withoutUnknown } from './narrowing'

/** The origin of a value. A value from a URL is text, and is converted to the schema's type. */
export type Source = 'address' | 'json'

type Checked = { value: unknown } | { problems: Problem[] }

export type Checker = {
  schema: TSchema
  /** With titles and descriptions in that language; those of `schema` are English. */
  schemaIn: (language: MessageLanguage) => unknown
  read: (value: unknown, source: Source) => Checked
  /** Whether a response fits the schema that the plugin declared. */
  accepts: (value: unknown) => boolean
}

const maxProblems = 20

/** @throws Error for a value that is not a schema */
export function createChecker(declared: unknown): Checker {
  const schema = schemaIn(declared, 'en')
  if (!TypeGuard.IsSchema(schema)) throw new Error('is not a schema; make it with t')
  const check = TypeCompiler.Compile(schema)
  const hasDefaults = JSON.stringify(schema).includes('"default"')
  return {
    schema,
    schemaIn: (language) => schemaIn(declared, language),
    read: (given, source) => {
      let value = withoutUnknown(schema, given)
      if (hasDefaults) value = Value.Default(schema, value)
      if (source === 'address' && !check.Check(value)) value = convertedSetting(schema, value)
      return check.Check(value) ? { value } : { problems: problemsOf(check, value, source) }
    },
    accepts: (value) => check.Check(value),
  }
}

/** Names the path and the expected value, never the value that was sent. */
function problemsOf(check: TypeCheck<TSchema>, value: unknown, source: Source): Problem[] {
  const byPath = new Map<string, Problem>()
  for (const { path, message } of check.Errors(value)) {
    const problemPath = source === 'address' ? path.slice(1) : path
    if (!byPath.has(problemPath)) byPath.set(problemPath, { path: problemPath, message: verbatim(message) })
    if (byPath.size === maxProblems) break
  }
  return [...byPath.values()]
}
