import { MoveError } from '../attachments/move/errors'
import { StorageMismatch } from '../attachments/storage/identity'
import { BackupError } from '../backup/errors'
import { DataDirError } from '../db/embedded/place'
import { connectionProblem } from '../db/errors'
import { MigrationRefused } from '../db/migration/migrate'
import { placesOf } from '../ops/log/log'
import { PrivilegeError } from '../ops/ownership/privileges'
import { ConfigError, readConfig } from '../ops/settings/config'
import { readArguments, suggestCommand, UsageError } from './arguments'
import { backupCommand } from './backup/backup'
import { backupsCommand } from './backup/backups'
import { moveCommand } from './backup/move'
import { restoreCommand } from './backup/restore'
import { upgradeCommand } from './backup/upgrade'
import { type Command, CommandError, type Environment } from './command'
import { filesAdopt, filesCheck } from './files/check'
import { filesMove } from './files/move'
import { healthCommand } from './health'
import { commandHelp, groupHelp, mainHelp } from './help'
import { migrateCommand } from './migrate'
import { withMovedDatabase } from './moved-database'
import { openapiCommand } from './openapi'
import { pluginsCheck, pluginsInit } from './plugins'
import { pluginsTest } from './plugins-test'
import { pluginsTypes } from './plugins-types'
import { serveCommand } from './serve'
import { usersAdd, usersList, usersResetPassword } from './users'
import { versionCommand } from './version'

export const commands: Command[] = [
  serveCommand,
  migrateCommand,
  upgradeCommand,
  usersAdd,
  usersResetPassword,
  usersList,
  filesCheck,
  filesAdopt,
  filesMove,
  backupCommand,
  backupsCommand,
  restoreCommand,
  moveCommand,
  pluginsInit,
  pluginsCheck,
  pluginsTest,
  pluginsTypes,
  healthCommand,
  openapiCommand,
  versionCommand,
]

/** @returns the exit code: 0, or 1 for an error that the operator can fix, 2 for wrong usage */
export async function runCommand(argv: string[], environment: Environment): Promise<number> {
  let logLevel = environment.LOG_LEVEL
  try {
    const given = readArguments(argv)
    logLevel = given.flags['log-level'] ?? logLevel
    if (given.version) return await versionCommand.run({ ...given, config: readConfig({}), positionals: [], environment })
    const help = helpFor(given.words, given.help)
    if (help !== null) {
      console.log(help)
      return 0
    }
    const { command, positionals } = find(given.words)
    requireOwnFlags(command, [...given.switches, ...given.values.keys()])
    const config = readConfig(environment, given.flags)
    const usesDatabase = command.settings?.includes('databaseUrl') && !command.findsDatabase
    return await command.run({ ...given, config: usesDatabase ? withMovedDatabase(config) : config, positionals, environment })
  } catch (error) {
    return explain(error, logLevel === 'debug' || logLevel === 'trace')
  }
}

/**
 * `help`, `help users add`, `users add --help`, and `users`, which is not a command by itself.
 * @returns null if a command should run
 */
function helpFor(words: string[], isAsked: boolean): string | null {
  const topic = words[0] === 'help' ? words.slice(1) : words
  if (topic[0] === 'help') return mainHelp(commands)
  const members = commands.filter(({ name }) => topic.length === 1 && name.startsWith(`${topic[0]} `))
  if (members.length) return groupHelp(members)
  if (!isAsked && words[0] !== 'help') return null
  return topic.length === 0 ? mainHelp(commands) : commandHelp(find(topic).command)
}

/**
 * `users add …` is found before `users`, since names can have two words.
 * @throws UsageError for an unknown command, and for an extra word
 */
function find(words: string[]): { command: Command; positionals: string[] } {
  if (words.length === 0) return { command: serveCommand, positionals: [] }
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(' '))
    if (command) return { command, positionals: checked(command, words.slice(length)) }
  }
  const names = commands.map(({ name }) => name)
  const isInGroup = names.some((name) => name.startsWith(`${words[0]} `))
  const given = words.slice(0, isInGroup ? 2 : 1).join(' ')
  const onward = isInGroup ? ` rowhouse ${words[0]} lists what there is.` : ''
  throw new UsageError(`There is no command "${given}".${suggestCommand(given, names, 'rowhouse ') || onward}`)
}

function checked({ name, arguments: taken = '' }: Command, positionals: string[]): string[] {
  const extra = positionals[taken.split(' ').filter(Boolean).length]
  if (extra === undefined) return positionals
  throw new UsageError(`"${extra}" is one word too many: rowhouse ${name} takes ${taken || 'no arguments'}.`)
}

function requireOwnFlags({ name, switches = {}, values = {} }: Command, given: readonly string[]) {
  const foreign = given.find((one) => !(one in switches) && !(one in values))
  if (foreign !== undefined) throw new UsageError(`rowhouse ${name} takes no --${foreign}.`)
}

function explain(error: unknown, isDebugging: boolean): number {
  if (error instanceof UsageError) {
    console.error(`rowhouse: ${error.message}\nrowhouse --help lists commands and settings.`)
    return 2
  }
  const isKnown = [ConfigError, CommandError, BackupError, DataDirError, PrivilegeError, MigrationRefused, StorageMismatch, MoveError].some(
    (kind) => error instanceof kind,
  )
  const sentence = isKnown ? (error as Error).message : connectionProblem(error)
  console.error(sentence === null ? unexplained(error, isDebugging) : `rowhouse: ${sentence}`)
  return 1
}

/**
 * Never prints the error itself: Bun would print the surrounding source, which in the executable is a very long line.
 */
function unexplained(error: unknown, isDebugging: boolean): string {
  const { message, stack } =
    error instanceof Error ? { message: error.message, stack: placesOf(error) } : { message: String(error), stack: '' }
  return isDebugging ? `rowhouse: ${message}\n${stack}` : `rowhouse: ${message.split('\n')[0]} (LOG_LEVEL=debug shows where)`
}
