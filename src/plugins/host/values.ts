type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/**
 * PostgreSQL's JSON → values. A number that JavaScript cannot hold becomes a text with all its digits; sent back, it is
 * the same number.
 */
export const valuesOf = (json: string): unknown =>
  parseWith(json, (_key, value, { source }) => (typeof value === 'number' && !isExact(value, source) ? source : value))

/** Seventeen digits would do for some; fifteen do for all. */
const isExact = (value: number, source: string): boolean =>
  Number.isSafeInteger(value) || (!Number.isInteger(value) && source.replace(/[-.]|e.*$/gi, '').replace(/^0+/, '').length <= 15)

/** Values → the JSON that PostgreSQL reads. @throws TypeError for what is no JSON */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJSON(String(item)) : item))
  if (text === undefined) throw new TypeError('A record is an object.')
  return text
}
