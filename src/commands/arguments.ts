import { parseArgs } from 'node:util'
import type { Setting } from '../ops/settings/setting-readers'
import { settings } from '../ops/settings/settings'
import { nearest } from '../tables/nearest'

/** The command line cannot be parsed; the message explains the right usage. Exits with 2. */
export class UsageError extends Error {}

/** The parsed command line: words, settings given as flags, and the commands' own flags without and with a value. */
export type CommandArguments = {
  words: string[]
  flags: Record<string, string>
  switches: Set<string>
  values: Map<string, string>
  help: boolean
  version: boolean
}

const knownOptions = new Map<string, Setting<unknown>>(Object.values(settings).map((setting) => [setting.flag, setting]))
const switches = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const
/** Flags of single commands (`Command.switches`). */
const commandSwitches = [
  'quiet',
  'json',
  'verify',
  'dry-run',
  'rehearse',
  'postgres',
  'remove-old',
  'switch',
  'remove',
  'skip-damaged',
  'cancel',
  'undo',
  'service',
]
/** Flags of single commands that take a value (`Command.values`), with an example. */
const commandValues = new Map([
  ['to', '"2026-11-22 10:15"'],
  ['before-request', '0198c5de-6f9e-7d52-9a4e-0c8f0e3f5b1a'],
  ['table', 'orders'],
  ['as', 'orders_restored'],
  ['from', '/var/lib/rowhouse/files'],
])
const options = {
  ...Object.fromEntries(
    [...knownOptions.keys()].map((flag) => [flag, { type: knownOptions.get(flag)?.isSwitch ? ('boolean' as const) : ('string' as const) }]),
  ),
  ...switches,
  ...Object.fromEntries(commandSwitches.map((name) => [name, { type: 'boolean' as const }])),
  ...Object.fromEntries([...commandValues.keys()].map((name) => [name, { type: 'string' as const }])),
}

/** @throws UsageError for an unknown flag, a missing value, or an invalid one */
export function readArguments(argv: string[]): CommandArguments {
  // Not strict: Node's own messages suggest neither a similar flag nor an example.
  const { tokens } = parseArgs({ args: argv, options, allowPositionals: true, strict: false, tokens: true })
  const found: CommandArguments = { words: [], flags: {}, switches: new Set(), values: new Map(), help: false, version: false }
  for (const token of tokens) {
    if (token.kind === 'positional') found.words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (name === 'help' || name === 'version') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
      found[name] = true
    } else if (commandSwitches.includes(name)) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
      found.switches.add(name)
    } else if (commandValues.has(name)) {
      const given = inlineValue === false && value?.startsWith('--') ? undefined : value
      if (given === undefined) throw new UsageError(`${rawName} needs a value. Example: ${rawName}=${commandValues.get(name)}`)
      found.values.set(name, given)
    } else {
      found.flags[name] = readValue(name, rawName, inlineValue === false && value?.startsWith('--') ? undefined : value)
    }
  }
  return found
}

function readValue(name: string, rawName: string, value: string | undefined): string {
  const setting = knownOptions.get(name)
  if (!setting)
    throw new UsageError(
      `There is no flag ${rawName}.${suggestCommand(name, [...knownOptions.keys(), ...Object.keys(switches), ...commandSwitches, ...commandValues.keys()], '--')}`,
    )
  if (value === undefined && setting.isSwitch) return '1'
  if (value === undefined) throw new UsageError(`${rawName} needs a value. Example: ${rawName}=${setting.example}`)
  return value
}

/** ` Did you mean …?`, or an empty text if nothing is similar. */
export function suggestCommand(given: string, choices: readonly string[], before = ''): string {
  const similar = nearest(given, choices)
  return similar === undefined ? '' : ` Did you mean ${before}${similar}?`
}
