import { BlockList } from 'node:net'
import type { Config } from '../ops/config'

/** The settings that are plain data, as a process is told them. One that makes backups asks for none of the others. */
export type PlainConfig = Omit<Config, 'trustedProxies' | 'backupSchedule'>

export function plainConfig(config: Config): PlainConfig {
  const { trustedProxies: _, backupSchedule: __, ...plain } = config
  return plain
}

/** Of a process that does not listen and has no schedule. */
export const fromPlain = (plain: PlainConfig): Config => ({
  ...plain,
  trustedProxies: new BlockList(),
  backupSchedule: { text: '', next: () => null },
})
