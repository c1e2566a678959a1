import type { TSchema } from 'elysia'
import type { Message } from '../../messages/message'

/** The options of one column, already checked against `options`. */
export type Options = Record<string, unknown>

/** The problem of one option: `path` is a JSON Pointer into the options, `message` a sentence. */
export type OptionProblem = { path: string; message: Message }

export const ruleNames = ['format', 'choices', 'range', 'length', 'pattern', 'shape'] as const
export type RuleName = (typeof ruleNames)[number]

/** A check constraint of the column. `message` is the rest of a sentence that begins with the column's name. */
export type Rule = { name: RuleName; condition: string; message: Message }

/**
 * One type of column: its type in PostgreSQL, and the JSON values that it accepts. PostgreSQL makes the final check of
 * every value. The rest is in its descriptor.
 */
export type ColumnTypeDefinition = {
  /** For people: in API documentation and error hints. */
  description: string
  options: TSchema
  /** Problems that the schema `options` cannot express: options that contradict each other. */
  optionProblems?: (options: Options) => OptionProblem[]
  /** @param targetType for a link, the SQL type of the target's key; for a formula, the type of its expression */
  sqlType: (options: Options, targetType?: string) => string
  /** Whether the column holds whole numbers only, however they are written in JSON. */
  isWhole?: boolean
  /**
   * The problem of a value that is not null, as the rest of a sentence that begins with the column's name; null if it
   * fits.
   * @param sqlType the type of this column, from which a link knows the form of its keys
   */
  problem: (value: unknown, options: Options, sqlType?: string) => Message | null
  /** Rules that the database enforces, so that psql cannot break them. @param value the column in SQL */
  rules?: (value: string, options: Options) => Rule[]
  /** JSON Schema (2020-12) of a value that is not null. */
  valueSchema: (options: Options) => Record<string, unknown>
  /** SQL of the default that every column of this type has. */
  fixedDefault?: string
  /** Absent if no conversion to or from another type is possible. */
  conversion?: Conversion
}

/**
 * Converts values from one type to another through text: SQL in, SQL out. The SQL never fails, whatever the text is.
 * @see ../definitions/conversion/conversion-report.ts
 */
export type Conversion = {
  /** A stored value that is not null → text, or null if the value is empty. */
  toText: (value: string) => string
  /**
   * Text → text that PostgreSQL's cast to this type may accept; null if it is not a value of this type. Absent if no
   * text can become this type.
   */
  fromText?: (text: string) => string
  /** Whether that text can be cast to the type, if that can be tested faster than by its input function. */
  canCast?: (text: string, options: Options) => string
  /** Whether the cast of such a text loses nothing. */
  isExact?: (text: string, options: Options) => string
  /** Why a value does not fit, as the rest of a sentence; null for a type to which nothing can be converted. */
  expectation: Message | null
  /** Why a value does not fit, if that depends on the options. */
  expectationOf?: (options: Options) => Message
}
