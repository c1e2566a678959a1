import { existsSync, readFileSync } from 'node:fs'

/** `values` as `call.settings` shows them; `secrets` are the texts among them that no log line shows. */
export type PluginSettings = { values: Readonly<Record<string, unknown>>; secrets: readonly string[] }

/** Shorter ones are words that stand everywhere. */
const minSecretLength = 6

/**
 * `settings.toml` of a plugin, and above it the environment: `ROWHOUSE_PLUGIN_STOCK__API_KEY` is `apiKey` of the plugin
 * `stock`.
 * @throws Error for TOML that cannot be read, and for a variable that is not of the type that the file's value has
 */
export function readSettings(file: string, plugin: string, environment: Record<string, string | undefined>): PluginSettings {
  const fromFile = existsSync(file) ? parseSettings(readFileSync(file, 'utf8')) : {}
  const values: Record<string, unknown> = { ...fromFile, ...fromEnvironment(fromFile, plugin, environment) }
  return { values: deepFreeze(values), secrets: secretsIn(values) }
}

/** The longest first: of two that begin alike the shorter one would leave the rest of the other. */
const secretsIn = (values: unknown) =>
  textsIn(values)
    .filter((text) => text.length >= minSecretLength)
    .sort((one, other) => other.length - one.length)

function parseSettings(text: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch {
    // Bun's own message may show the line, and with it a secret.
    throw new Error(`settings.toml cannot be read (line ${lineOfMistake(text)}).`)
  }
}

/** Bun does not tell it: behind the longest beginning that can be read. */
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

/** How the variables of a plugin begin. */
export const variablePrefix = (plugin: string) => `ROWHOUSE_PLUGIN_${plugin.replaceAll('-', '_').toUpperCase()}__`

/** The two underscores keep `stock` from reading what is meant for `stock-prices`. */
function fromEnvironment(known: Record<string, unknown>, plugin: string, environment: Record<string, string | undefined>) {
  const prefix = variablePrefix(plugin)
  const found: Record<string, unknown> = {}
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || text === undefined) continue
    const name = nameFor(variable.slice(prefix.length), Object.keys(known))
    found[name] = convertSetting(text, known[name], variable)
  }
  return found
}

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** `API_KEY` → the setting of the file that is called so in any spelling, else `apiKey`. */
const nameFor = (suffix: string, known: string[]): string =>
  known.find((name) => plain(name) === plain(suffix)) ??
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
