import { parseArgs } from 'node:util'
import { DataDirError } from '../db/embedded/place'
import { connectionProblem } from '../db/failures'
import { MigrationRefused } from '../db/migrate'
import { ConfigError, readConfig } from '../ops/config'
import { placesOf } from '../ops/log'
import { settings } from '../ops/settings'
import { type Command, CommandError } from './command'
import { filesCheck } from './files'
import { health } from './health'
import { commandHelp, mainHelp } from './help'
import { migrate } from './migrate'
import { openapi } from './openapi'
import { serve } from './serve'
import { usersAdd, usersList, usersResetPassword } from './users'
import { version } from './version'

export const commands: Command[] = [serve, migrate, usersAdd, usersResetPassword, usersList, filesCheck, health, openapi, version]

/** @returns the exit code: 0, or 1 for what the operator can mend, 2 for a wrong call */
export async function runCommand(argv: string[], environment: Record<string, string | undefined>): Promise<number> {
  let logLevel = environment.LOG_LEVEL
  try {
    const { values, positionals } = parse(argv)
    logLevel = (values['log-level'] as string | undefined) ?? logLevel
    if (values.version) return await version.run({ config: readConfig({}), positionals: [] })
    const { command, rest } = find(positionals)
    if (values.help) {
      console.log(positionals.length ? commandHelp(command) : mainHelp(commands))
      return 0
    }
    const { help: _, version: __, ...flags } = values
    return await command.run({ config: readConfig(environment, flags as Record<string, string>), positionals: rest })
  } catch (error) {
    return explain(error, logLevel === 'debug' || logLevel === 'trace')
  }
}

type Values = { help?: boolean; version?: boolean } & Record<string, string | boolean | undefined>

function parse(argv: string[]): { values: Values; positionals: string[] } {
  const flags = Object.values(settings).map(({ flag }) => [flag, { type: 'string' as const }])
  const switches = { help: { type: 'boolean' as const, short: 'h' }, version: { type: 'boolean' as const, short: 'v' } }
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { ...Object.fromEntries(flags), ...switches },
      allowPositionals: true,
    })
    return { values: values as Values, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

class UsageError extends Error {}

/** `users add …` is found before `users`, since names can have two words. */
function find(positionals: string[]): { command: Command; rest: string[] } {
  if (positionals.length === 0) return { command: serve, rest: [] }
  for (const words of [2, 1]) {
    const command = commands.find(({ name }) => name === positionals.slice(0, words).join(' '))
    if (command) return { command, rest: positionals.slice(words) }
  }
  throw new UsageError(`There is no command "${positionals[0]}".`)
}

function explain(error: unknown, isDebugging: boolean): number {
  if (error instanceof UsageError) {
    console.error(`rowhouse: ${error.message}\nrowhouse --help lists commands and settings.`)
    return 2
  }
  const isKnown = [ConfigError, CommandError, DataDirError, MigrationRefused].some((kind) => error instanceof kind)
  const sentence = isKnown ? (error as Error).message : connectionProblem(error)
  console.error(sentence === null ? unexplained(error, isDebugging) : `rowhouse: ${sentence}`)
  return 1
}

/** Never the error itself: Bun would show it with the source around it, which in the executable is pages in one line. */
function unexplained(error: unknown, isDebugging: boolean): string {
  const { message, stack } =
    error instanceof Error ? { message: error.message, stack: placesOf(error) } : { message: String(error), stack: '' }
  return isDebugging ? `rowhouse: ${message}\n${stack}` : `rowhouse: ${message.split('\n')[0]} (LOG_LEVEL=debug shows where)`
}
