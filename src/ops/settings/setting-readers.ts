import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { firstLineOf } from '../first-line'

/**
 * One setting: an environment variable and the flag of the same name (`--data-dir` for `ROWHOUSE_DATA_DIR`). `read`
 * takes the text and returns the value, or throws an Error whose message states the problem.
 */
export type Setting<T> = {
  env: string
  flag: string
  /** As displayed in --help and in the README; the parser passes this text to `read` if nothing is set. */
  default?: string
  /** Printed instead of the default's text, such as `off`, or if it depends on the machine; as a value, the default. */
  shownDefault?: string
  /** A flag that may be given without a value. */
  isSwitch?: boolean
  example: string
  help: string
  read: (text: string) => T
}

const fail = (problem: string): never => {
  throw new Error(problem)
}

export const textValue = (value: string) => value

export const integerValue = (min: number, max: number) => (value: string) => {
  const number = Number(value)
  return /^-?\d+$/.test(value) && number >= min && number <= max ? number : fail(`must be a whole number from ${min} to ${max}`)
}

export const booleanValue = (value: string) =>
  /^(1|true|yes|on)$/i.test(value) ? true : /^(0|false|no|off)$/i.test(value) ? false : fail('must be 1 or 0 (true or false)')

export const oneOf =
  <const T extends string>(...choices: T[]) =>
  (value: string): T =>
    choices.find((choice) => choice === value) ?? fail(`must be one of ${choices.join(', ')}`)

const unitsOfTime: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Reads `30s`, `500ms`, `2m` as milliseconds. */
export const durationValue = (minMs: number, maxMs: number) => (value: string) => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(value) ?? []
  if (!amount || !unit) return fail('must be a number with a unit: ms, s, m or h')
  const ms = Number(amount) * unitsOfTime[unit]!
  return ms >= minMs && ms <= maxMs ? ms : fail(`must be from ${minMs}ms to ${maxMs}ms`)
}

const unitsOfSize: Record<string, number> = { '': 1, B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Reads `1048576`, `1MB`, `2GB` (powers of 1024) as bytes. */
export const sizeValue = (minBytes: number, maxBytes: number) => (value: string) => {
  const [, amount, unit] = /^(\d+)\s*(B|KB|MB|GB|)$/i.exec(value) ?? []
  if (!amount || unit === undefined) return fail('must be a number of bytes, or one with KB, MB or GB')
  const bytes = Number(amount) * unitsOfSize[unit.toUpperCase()]!
  return bytes >= minBytes && bytes <= maxBytes ? bytes : fail(`must be from ${minBytes} to ${maxBytes} bytes`)
}

export const webAddress = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : fail('must be a full address with http:// or https://')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return fail('must begin with http:// or https://')
  if (url.pathname !== '/' || url.search || url.hash || url.username) return fail('must have no path, query, fragment or user')
  return url.origin
}

/** IP addresses and CIDR ranges separated by commas. */
export const addressList = (value: string) => {
  const list = new BlockList()
  for (const item of value.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...rest] = item.split('/')
    const version = isIP(address)
    const widest = version === 4 ? 32 : 128
    const prefix = bits === undefined ? widest : /^\d+$/.test(bits) ? Number(bits) : -1
    if (!version || rest.length || prefix < 0 || prefix > widest) return fail('must be IP addresses or CIDR ranges separated by commas')
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

export const setupCodeValue = (value: string) =>
  value.length >= 16 && value.length <= 200
    ? value
    : fail('must have 16 to 200 characters, hard to guess (for example from `openssl rand -hex 16`)')

const fileBytes = (path: string) => {
  try {
    return readFileSync(path)
  } catch {
    return fail('names a file that cannot be read')
  }
}

export const fileText = (path: string) => fileBytes(path).toString('utf8')

/**
 * Reads the first line of a file that a setting names. @throws Error with the problem, to follow the name of the
 * setting
 */
export const firstLine = (path: string) =>
  (firstLineOf(fileBytes(path)) ?? fail('names a file that is not UTF-8 text')) || fail('names a file whose first line is empty')

export const offOr =
  (read: (text: string) => number) =>
  (text: string): number =>
    /^(0\w{0,2}|off)$/.test(text) ? 0 : read(text)

export const objectPrefix = (value: string) =>
  /^([\w.-]+\/)*$/.test(value) ? value : fail('must be names of letters, digits, dots, - and _, each followed by a slash')

export const unixUser = (value: string) =>
  /^[a-z_][a-z0-9_-]{0,31}$/i.test(value) ? value : fail('must be the name of a user of this machine')

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

export const schemaList = (value: string) => {
  const own = listOf(value).find((name) => name === 'rowhouse' || name === 'information_schema' || name.startsWith('pg_'))
  if (own !== undefined) return fail('must not name rowhouse, information_schema or a schema that begins with pg_')
  return listOf(value)
}

/**
 * `schema.function`, or a function's name alone for the first served schema that has it; with the suffix `:safe`,
 * callers who are limited by access rules may call the function.
 */
export const functionList = (value: string): { schema: string | null; name: string; isSafe: boolean }[] =>
  listOf(value).map((listed) => {
    const isSafe = listed.endsWith(':safe')
    const item = isSafe ? listed.slice(0, -':safe'.length) : listed
    const [schema, name, ...rest] = item.includes('.') ? item.split('.') : [null, item]
    const isName = name && rest.length === 0 && schema !== '' && !item.includes('*')
    return isName
      ? { schema: schema ?? null, name, isSafe }
      : fail('must be names of functions separated by commas, each as schema.function or function, and optionally :safe')
  })

/** The form that `isWebOrigin` accepts, for messages. */
export const webOriginForm = 'scheme, host and port as browsers send them in the header Origin, such as https://shop.example'

const webOriginPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,*]+$/

/**
 * Whether it is an origin, spelled as browsers send it. An app's own scheme also has one, such as
 * `capacitor://localhost`.
 */
export function isWebOrigin(text: string): boolean {
  if (!webOriginPattern.test(text)) return false
  return /^https?:/.test(text) ? URL.canParse(text) && new URL(text).origin === text : true
}

/** Exact origins, or `*` alone for all. */
export const originList = (value: string): string[] => {
  const list = listOf(value)
  const isGood = list.every(isWebOrigin) || (list.length === 1 && list[0] === '*')
  if (!isGood) return fail(`must be * alone, or origins separated by commas: ${webOriginForm}`)
  return list
}
