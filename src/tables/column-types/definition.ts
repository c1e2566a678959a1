import type { TSchema } from 'elysia'
import type { Message } from '../../messages/message'

/** The options of one column, already checked against `options`. */
export type Options = Record<string, unknown>

/** What is wrong with one option: `path` is a JSON Pointer into the options, `message` a sentence. */
export type OptionProblem = { path: string; message: Message }

export const ruleNames = ['format', 'choices', 'range', 'length', 'pattern', 'shape'] as const
export type RuleName = (typeof ruleNames)[number]

/** A check constraint of the column. `message` is the rest of a sentence that begins with the column's name. */
export type Rule = { name: RuleName; condition: string; message: Message }

/**
 * One kind of column: what it is in PostgreSQL, and which JSON values it takes. PostgreSQL has the last word on every
 * value. The rest is in its descriptor.
 */
export type ColumnTypeDefinition = {
  /** For people: in API documentation and error hints. */
  description: string
  options: TSchema
  /** What `options` cannot say: how they have to fit together. */
  optionProblems?: (options: Options) => OptionProblem[]
  /** @param targetType of a link, the SQL type of the key that it points to; of a formula, that of its expression */
  sqlType: (options: Options, targetType?: string) => string
  /** Whether the column holds whole numbers only, however they are written in JSON. */
  isWhole?: boolean
  /**
   * What is wrong with a value that is not null, as the rest of a sentence that begins with the column's name; null
   * when it fits.
   * @param sqlType the column's own, by which a link knows what keys look like
   */
  problem: (value: unknown, options: Options, sqlType?: string) => Message | null
  /** What psql must not break either. @param value the column, as it stands in SQL */
  rules?: (value: string, options: Options) => Rule[]
  /** JSON Schema (2020-12) of a value that is not null. */
  valueSchema: (options: Options) => Record<string, unknown>
  /** SQL of the default that every column of this type has. */
  fixedDefault?: string
  /** Absent where no other type can become this one, or it none. */
  conversion?: Conversion
}

/**
 * How values become those of another type: by way of text. SQL in, SQL out; nothing here fails for any text.
 * @see ../definitions/conversion-report.ts
 */
export type Conversion = {
  /** A stored value that is not null → text, or null where it says nothing. */
  toText: (value: string) => string
  /**
   * Text → text that PostgreSQL's cast to this type may read, or null where it is none of this type's. Absent where the
   * type takes none.
   */
  fromText?: (text: string) => string
  /** Whether that text can be cast to the type, if there is a quicker way to know than to ask its input function. */
  canCast?: (text: string, options: Options) => string
  /** Whether the cast of a text that can be cast loses nothing. */
  isExact?: (text: string, options: Options) => string
  /** Why a value does not fit, as the rest of a sentence; null of a type that takes none. */
  expectation: Message | null
  /** The same, where it depends on the options. */
  expectationOf?: (options: Options) => Message
}
