import type { ColumnTypeName } from '../../column-types'

/**
 * The value of a default, if its SQL (pg_get_expr) is a constant that JSON can represent.
 * @returns null for no default, for NULL, and for a default that must be computed
 */
export function constantDefault(expression: string | null, type: ColumnTypeName): unknown {
  const text = expression === null ? null : constantText(expression)
  return text === null ? null : (readLiteral(text, type) ?? null)
}

/**
 * Reads `42`, `-1.5`, `true`, or a constant with its type: `5.00::numeric(5,2)`, `'it''s'::text`, `'x'::crm.mood`,
 * `'{a}'::text[]`.
 */
function constantText(expression: string): string | null {
  const [, bare, quoted] =
    /^(?:(-?\d+(?:\.\d+)?|true|false)|'((?:[^']|'')*)')(?:::[\w ."]+(?:\(\d+(?:,\d+)?\))?(?:\[\])?)?$/.exec(expression) ?? []
  return bare ?? quoted?.replaceAll("''", "'") ?? null
}

const readers: Record<string, (text: string) => unknown> = {
  integer: (text) => exactNumber(text),
  bigint: (text) => exactNumber(text),
  autoNumber: (text) => exactNumber(text),
  decimal: (text) => exactNumber(text),
  currency: (text) => exactNumber(text),
  percent: (text) => exactNumber(text),
  rating: (text) => exactNumber(text),
  duration: (text) => exactNumber(text),
  float: (text) => (Number.isFinite(Number(text)) ? Number(text) : text),
  boolean: (text) => ({ true: true, t: true, false: false, f: false })[text],
  json: (text) => parsed(text),
  multiSelect: (text) => elements(text),
  dateTime: (text) => /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?)\+00$/.exec(text)?.slice(1).join('T').concat('+00:00'),
}
const texts = ['text', 'longText', 'uuid', 'date', 'time', 'email', 'url', 'phone', 'select', 'link']

function readLiteral(text: string, type: ColumnTypeName): unknown {
  if (texts.includes(type)) return text
  return Object.hasOwn(readers, type) ? readers[type]!(text) : undefined
}

/** A number that JavaScript would write with other digits stays a text. */
const exactNumber = (text: string): number | string => (String(Number(text)) === text ? Number(text) : text)

/** The elements of an array literal with one dimension and without nulls. */
const elements = (text: string): string[] =>
  [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(([, quoted, bare]) => quoted?.replace(/\\(.)/g, '$1') ?? bare!)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
