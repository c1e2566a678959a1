import type { Config } from '../ops/config'
import type { SettingKey } from '../ops/settings'

/** The environment as it was at the start; settings are read from it once, and the rest is for plugins. */
export type Environment = Record<string, string | undefined>

/** `switches` and `values` are the flags that are no settings and were given. */
export type CommandContext = {
  config: Config
  positionals: string[]
  environment: Environment
  switches: ReadonlySet<string>
  values: ReadonlyMap<string, string>
}

/** One command of the executable. */
export type Command = {
  name: string
  /** The words that it takes, as --help names them, for example `EMAIL ROLE`. */
  arguments?: string
  summary: string
  /** More for `rowhouse <name> --help`. */
  description: string
  /** The settings that mean something to it, for its --help; all of them where it does not say. */
  settings?: SettingKey[]
  /** Flags without a value that it takes beside settings, and what each does. */
  switches?: Record<string, string>
  /** Flags with a value that it takes, and what each does. */
  values?: Record<string, string>
  /** Finds out by itself whether the database was moved; the others get its connection in their settings. */
  findsDatabase?: boolean
  run: (context: CommandContext) => Promise<number>
}

/** What it takes to find and open the database. */
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

/** Where files are, if not in the data directory. */
export const s3Settings: SettingKey[] = [
  's3Bucket',
  's3Endpoint',
  's3Region',
  's3AccessKeyId',
  's3SecretAccessKey',
  's3Prefix',
  's3VirtualHosted',
]

/**
 * Something is wrong with how the command was called or where it runs; the message is all that is shown. Exits with 1.
 */
export class CommandError extends Error {}
