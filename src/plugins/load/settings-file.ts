import { existsSync, readFileSync } from 'node:fs'

/** `values` are those of `call.settings`; `secrets` are the texts among them, which no line of the log may show. */
export type PluginSettings = { values: Readonly<Record<string, unknown>>; secrets: readonly string[] }

/** Shorter texts are not redacted, because they occur everywhere. */
const minSecretLength = 6

/**
 * Reads a plugin's `settings.toml`. Environment variables override it: `ROWHOUSE_PLUGIN_STOCK__API_KEY` is `apiKey` of
 * the plugin `stock`.
 * @throws Error for malformed TOML, and for a variable whose type differs from the value in the file
 */
export function readSettings(file: string, plugin: string, environment: Record<string, string | undefined>): PluginSettings {
  const fromFile = existsSync(file) ? parseSettings(readFileSync(file, 'utf8')) : {}
  const values: Record<string, unknown> = { ...fromFile, ...fromEnvironment(fromFile, plugin, environment) }
  return { values: deepFreeze(values), secrets: secretsIn(values) }
}

/**
 * The longest first: if one secret is the beginning of another, redacting the shorter one first would leave the rest of
 * the longer one.
 */
const secretsIn = (values: unknown) =>
  textsIn(values)
    .filter((text) => text.length >= minSecretLength)
    .sort((one, other) => other.length - one.length)

function parseSettings(text: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch {
    // Bun's own message may repeat the line, and a secret in it.
    throw new Error(`settings.toml cannot be read (line ${lineOfMistake(text)}).`)
  }
}

/** Bun does not report the line. It is the one after the longest beginning that can be parsed. */
function lineOfMistake(text: string): number {
  const lines = text.split('\n')
  let read = lines.length - 1
  while (read > 0 && !isToml(lines.slice(0, read).join('\n'))) read--
  return read + 1
}

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text)
    return true
  } catch {
    return false
  }
}

/** The prefix of a plugin's variables. */
export const variablePrefix = (plugin: string) => `ROWHOUSE_PLUGIN_${plugin.replaceAll('-', '_').toUpperCase()}__`

/** Two underscores end the prefix, so that `stock` does not read the variables of `stock-prices`. */
function fromEnvironment(settings: Record<string, unknown>, plugin: string, environment: Record<string, string | undefined>) {
  const prefix = variablePrefix(plugin)
  const found: Record<string, unknown> = {}
  for (const [variable, text] of Object.entries(environment)) {
    // An empty variable counts as unset, as in the service's own settings: an empty key would let everyone in.
    if (!variable.startsWith(prefix) || !text) continue
    const name = nameFor(variable.slice(prefix.length), Object.keys(settings))
    found[name] = convertSetting(text, settings[name], variable)
  }
  return found
}

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** Finds the setting of the file that `API_KEY` names in any spelling; otherwise the name is `apiKey`. */
const nameFor = (suffix: string, names: string[]): string =>
  names.find((name) => plain(name) === plain(suffix)) ??
  suffix.toLowerCase().replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())

function convertSetting(text: string, example: unknown, variable: string): unknown {
  if (typeof example === 'number') {
    if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
    throw new Error(`${variable} must be a number.`)
  }
  if (typeof example === 'boolean') {
    if (/^(true|false|1|0)$/i.test(text)) return /^(true|1)$/i.test(text)
    throw new Error(`${variable} must be true or false.`)
  }
  return text
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) deepFreeze(item)
  return Object.freeze(value)
}
