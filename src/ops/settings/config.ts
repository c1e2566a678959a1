import type { Setting } from './setting-readers'
import { type SettingKey, settings } from './settings'

type Read<K extends SettingKey> = ReturnType<(typeof settings)[K]['read']>
type WithDefault = { [K in SettingKey]: (typeof settings)[K] extends { default: string } ? K : never }[SettingKey]

/**
 * The settings of one run, read once. Times are in milliseconds, sizes in bytes. Settings without a default may be
 * undefined.
 */
export type Config = { [K in WithDefault]: Read<K> } & { [K in Exclude<SettingKey, WithDefault>]?: Read<K> } & {
  /**
   * Whether ROWHOUSE_DATA_DIR or --data-dir was left out; only the default folder may be replaced (see
   * `db/embedded/place.ts`).
   */
  dataDirIsDefault: boolean
  /** Whether databaseUrl comes from the file that `rowhouse move` left in the data directory. */
  isDatabaseMoved?: boolean
  /** Whether ROWHOUSE_WAL_ARCHIVE is set without effect, because the database was moved away. */
  isWalArchiveUnused?: boolean
}

/**
 * Lists every wrong setting at once, each with its name, the problem and an example. Never includes the value, which
 * may be a secret.
 */
export class ConfigError extends Error {}

/**
 * Flags override the environment, and the environment overrides the defaults. An empty variable counts as unset, and so
 * does one with the default that --help prints.
 */
export function readConfig(environment: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings) as [SettingKey, Setting<unknown>][]) {
    const given = flags[setting.flag] ?? environment[setting.env]
    const text = !given || given === setting.shownDefault ? setting.default : given
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

/** Settings that are valid by themselves but contradict each other. */
function contradictions(config: Partial<Config>): string[] {
  const { adminEmail, adminPasswordFile, argon2MemoryKib = 0, argon2Passes = 0 } = config
  // OWASP's minimum for argon2id, by the number of passes (SEC-08).
  const minKib = argon2Passes >= 3 ? 12_288 : argon2Passes === 2 ? 19_456 : 47_104
  return [
    ...((adminEmail === undefined) === (adminPasswordFile === undefined)
      ? []
      : ['ROWHOUSE_ADMIN_EMAIL and ROWHOUSE_ADMIN_PASSWORD_FILE go together; set both or none.']),
    ...(argon2MemoryKib && argon2Passes && argon2MemoryKib < minKib
      ? [
          `ROWHOUSE_ARGON2_MEMORY_KIB must be at least ${minKib} with ROWHOUSE_ARGON2_PASSES=${argon2Passes}. Example: ROWHOUSE_ARGON2_MEMORY_KIB=${minKib}`,
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
