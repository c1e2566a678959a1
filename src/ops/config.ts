import type { Setting } from './setting-readers'
import { type SettingKey, settings } from './settings'

type Read<K extends SettingKey> = ReturnType<(typeof settings)[K]['read']>
type WithDefault = { [K in SettingKey]: (typeof settings)[K] extends { default: string } ? K : never }[SettingKey]

/** The settings of one run, read once. Times are milliseconds, sizes bytes. What has no default may be undefined. */
export type Config = { [K in WithDefault]: Read<K> } & { [K in Exclude<SettingKey, WithDefault>]?: Read<K> } & {
  /** Whether ROWHOUSE_DATA_DIR or --data-dir was given; only the default may move (see `db/embedded/place.ts`). */
  dataDirIsDefault: boolean
  /** Whether databaseUrl is that of the file which `rowhouse move` has left in the data directory. */
  isDatabaseMoved?: boolean
  /** Whether ROWHOUSE_WAL_ARCHIVE is set and has no effect, since the database was moved away. */
  isWalArchiveUnused?: boolean
}

/**
 * Every wrong setting at once, each with its name, the problem and an example. Never shows the value: it may be a
 * secret.
 */
export class ConfigError extends Error {}

/** Flags go before the environment, the environment before the defaults. An empty variable counts as unset. */
export function readConfig(environment: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings) as [SettingKey, Setting<unknown>][]) {
    const given = flags[setting.flag] ?? environment[setting.env]
    const text = given === undefined || given === '' ? setting.default : given
    if (text === undefined) continue
    try {
      config[key] = setting.read(text)
    } catch (error) {
      const name = flags[setting.flag] === undefined ? setting.env : `--${setting.flag}`
      problems.push(`${name} ${(error as Error).message}. Example: ${name}=${setting.example}`)
    }
  }
  problems.push(...contradictions(config as Config))
  if (problems.length) throw new ConfigError(problems.join('\n'))
  const { dataDir } = settings
  return { ...config, dataDirIsDefault: !(flags[dataDir.flag] || environment[dataDir.env]) } as Config
}

/** Settings that are right by themselves and wrong together. */
function contradictions(config: Partial<Config>): string[] {
  const { adminEmail, adminPasswordFile, argon2MemoryKib = 0, argon2Passes = 0 } = config
  // OWASP's floor for argon2id, by the number of passes (SEC-08).
  const leastKib = argon2Passes >= 3 ? 12_288 : argon2Passes === 2 ? 19_456 : 47_104
  return [
    ...((adminEmail === undefined) === (adminPasswordFile === undefined)
      ? []
      : ['ROWHOUSE_ADMIN_EMAIL and ROWHOUSE_ADMIN_PASSWORD_FILE go together; set both or none.']),
    ...(argon2MemoryKib && argon2Passes && argon2MemoryKib < leastKib
      ? [
          `ROWHOUSE_ARGON2_MEMORY_KIB must be at least ${leastKib} with ROWHOUSE_ARGON2_PASSES=${argon2Passes}. Example: ROWHOUSE_ARGON2_MEMORY_KIB=${leastKib}`,
        ]
      : []),
    ...(config.s3Bucket === undefined || (config.s3AccessKeyId !== undefined && config.s3SecretAccessKey !== undefined)
      ? []
      : ['S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. Example: S3_ACCESS_KEY_ID=AKIA…']),
    ...(!config.backupTo?.startsWith('s3://') || (config.s3AccessKeyId !== undefined && config.s3SecretAccessKey !== undefined)
      ? []
      : ['ROWHOUSE_BACKUP_TO in a bucket needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. Example: S3_ACCESS_KEY_ID=AKIA…']),
  ]
}
