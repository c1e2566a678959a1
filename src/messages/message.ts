import type { German } from './german'

/** The languages in which the service writes messages for people (BCP 47). */
export type MessageLanguage = 'en' | 'de'

export type MessageParameter = string | number | bigint | Message

/** The names in braces of a template: `'at most {count} {count|file|files}'` → `'count'`. */
type ParameterName<Template extends string> = Template extends `${string}{${infer Inside}}${infer Rest}`
  ? (Inside extends `${infer Name}|${string}` ? Name : Inside) | ParameterName<Rest>
  : never

/** Every English template that has a German one. */
type Template = keyof German

/**
 * A sentence, or a part of one, for people. It is translated into the reader's language when the response is written;
 * `String(message)` is English.
 */
export class Message {
  constructor(
    /** The English text with its parameters in braces, or any text if it is not translated. */
    readonly template: string,
    readonly parameters: Readonly<Record<string, MessageParameter>> = {},
  ) {}

  toString(): string {
    return fillTemplate(this.template, this.parameters, String)
  }

  /** English, if no language was requested. */
  toJSON(): string {
    return String(this)
  }
}

/**
 * A message with a German translation in `german/`.
 * @param template `{name}` is replaced by a parameter, `{count|file|files}` for the first word where `count` is 1
 */
export const translatable = <Text extends Template>(
  template: Text,
  ...[parameters]: [ParameterName<Text>] extends [never] ? [] : [Record<ParameterName<Text>, MessageParameter>]
): Message => new Message(template, parameters)

/** A message that someone else has written: a plugin, PostgreSQL, or a rule in the database. */
export const verbatim = (text: string): Message => new Message('{text}', { text })

/** @param write renders a parameter that is a message of its own */
export function fillTemplate(
  template: string,
  parameters: Readonly<Record<string, MessageParameter>>,
  write: (parameter: MessageParameter) => string,
): string {
  return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    const value = parameters[name]
    if (value === undefined) return whole
    return one === undefined ? write(value) : Number(value) === 1 ? one : other!
  })
}
