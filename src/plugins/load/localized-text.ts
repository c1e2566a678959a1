import type { MessageLanguage } from '../../messages/message'

/** A text for people: one for all languages, or one per language. A language without a text uses the English one. */
export type LocalizedText = string | ({ en: string } & Partial<Record<MessageLanguage, string>>)

const languages: readonly string[] = ['en', 'de'] satisfies MessageLanguage[]

export function isLocalizedText(value: unknown): value is LocalizedText {
  if (typeof value === 'string') return true
  if (!isPlainObject(value) || !Object.hasOwn(value, 'en')) return false
  return Object.entries(value).every(([language, text]) => languages.includes(language) && typeof text === 'string')
}

/** The end of a sentence. */
export const expectedText = 'a text, or one for each language: { en: "Invoice", de: "Rechnung" }'

export const textIn = (text: LocalizedText, language: MessageLanguage): string =>
  typeof text === 'string' ? text : (text[language] ?? text.en)

/** Keywords of JSON Schema that hold schemas by names, which are not keywords themselves. */
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** Keywords that hold one or more schemas. All others hold values, or are irrelevant here. */
const schemaKeywords = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
]

/**
 * A copy of a JSON schema, with its titles and descriptions in one language.
 * @throws Error for a title or description that is not a text
 */
export function schemaIn(schema: unknown, language: MessageLanguage): unknown {
  if (Array.isArray(schema)) return schema.map((each) => schemaIn(each, language))
  return mapValues(schema, (value, key) => {
    if (value !== undefined && (key === 'title' || key === 'description')) {
      if (!isLocalizedText(value)) throw new Error(`needs as "${key}" ${expectedText}`)
      return textIn(value, language)
    }
    if (mapKeywords.includes(key)) return mapValues(value, (each) => schemaIn(each, language))
    return schemaKeywords.includes(key) ? schemaIn(value, language) : value
  })
}

/** TypeBox marks its schemas with symbols. Other values than plain objects stay as they are. */
function mapValues(value: unknown, map: (value: unknown, key: string) => unknown): unknown {
  if (!isPlainObject(value)) return value
  const keys = Reflect.ownKeys(value)
  return Object.fromEntries(keys.map((key) => [key, typeof key === 'symbol' ? value[key] : map(value[key], key)]))
}

const isPlainObject = (value: unknown): value is Record<string | symbol, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
