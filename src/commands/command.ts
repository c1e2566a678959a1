import type { Config } from '../ops/settings/config'
import type { SettingKey } from '../ops/settings/settings'

/** The environment at the start; settings are read from it once, and the rest is for plugins. */
export type Environment = Record<string, string | undefined>

/** `switches` and `values` are the given flags that are not settings. */
export type CommandContext = {
  config: Config
  positionals: string[]
  environment: Environment
  switches: ReadonlySet<string>
  values: ReadonlyMap<string, string>
}

/** A command of the executable. */
export type Command = {
  name: string
  /** The arguments that it takes, as --help names them, for example `EMAIL ROLE`. */
  arguments?: string
  summary: string
  /** Further text for `rowhouse <name> --help`. */
  description: string
  /** The settings that affect it, for its --help; all of them if left out. */
  settings?: SettingKey[]
  /** Its flags without a value, apart from settings, with descriptions. */
  switches?: Record<string, string>
  /** Its flags with a value, with descriptions. */
  values?: Record<string, string>
  /**
   * The command itself finds out whether the database was moved; other commands get the connection in their settings.
   */
  findsDatabase?: boolean
  run: (context: CommandContext) => Promise<number>
}

/** The settings for finding and opening the database. */
export const databaseSettings: SettingKey[] = [
  'dataDir',
  'databaseUrl',
  'databaseDirectUrl',
  'databaseCa',
  'databaseConnectTimeoutMs',
  'databasePrepare',
  'user',
  'logLevel',
]

/** Where files are stored, if not in the data directory. */
export const s3Settings: SettingKey[] = [
  's3Bucket',
  's3Endpoint',
  's3Region',
  's3AccessKeyId',
  's3SecretAccessKey',
  's3Prefix',
  's3VirtualHosted',
]

/** The command was called wrongly or cannot run here; only the message is printed. Exits with 1. */
export class CommandError extends Error {}
