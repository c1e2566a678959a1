import { german } from './german'
import { fillTemplate, Message, type MessageLanguage } from './message'

/** A value whose messages are replaced by texts. */
export type Translated<Value> = Value extends Message
  ? string
  : Value extends readonly (infer Item)[]
    ? Translated<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Translated<Value[Name]> }
      : Value

const templates: Partial<Record<string, string>> = german

/** A copy of a response, with every message in it as text; other values stay as they are. */
export function inLanguage<Value>(value: Value, language: MessageLanguage): Translated<Value> {
  return translate(value, language) as Translated<Value>
}

function translate(value: unknown, language: MessageLanguage): unknown {
  if (value instanceof Message) return text(value, language)
  if (Array.isArray(value)) return value.map((item) => translate(item, language))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translate(item, language)]))
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const text = (message: Message, language: MessageLanguage): string =>
  language === 'en'
    ? String(message)
    : fillTemplate(templates[message.template] ?? message.template, message.parameters, (parameter) =>
        parameter instanceof Message ? text(parameter, language) : String(parameter),
      )
