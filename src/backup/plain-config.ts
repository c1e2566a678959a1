import { BlockList } from 'node:net'
import type { Config } from '../ops/settings/config'

/** The settings that are plain data and can be sent to a child process. A backup needs only these. */
export type PlainConfig = Omit<Config, 'trustedProxies' | 'backupSchedule'>

export function plainConfig(config: Config): PlainConfig {
  const { trustedProxies: _, backupSchedule: __, ...plain } = config
  return plain
}

/** Settings of a process that does not listen and has no schedule. */
export const fromPlain = (plain: PlainConfig): Config => ({
  ...plain,
  trustedProxies: new BlockList(),
  backupSchedule: { text: '', next: () => null },
})
