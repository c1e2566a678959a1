import type { Setting } from '../ops/settings/setting-readers'
import { type SettingKey, settings } from '../ops/settings/settings'
import type { Command } from './command'

const keys = Object.keys(settings) as SettingKey[]

const displayDefault = (setting: Setting<unknown>) => setting.shownDefault ?? setting.default

const line = (command: Command) => `  ${`${command.name} ${command.arguments ?? ''}`.padEnd(28)} ${command.summary}`

/** `rowhouse --help`. */
export function mainHelp(commands: Command[]): string {
  return [
    'Rowhouse: tables, records and a REST API over real PostgreSQL, in one executable.',
    '',
    'Usage: rowhouse [command] [--setting=value …]',
    '',
    'Commands:',
    ...commands.map(line),
    ...settingsHelp(keys),
    '',
    'rowhouse <command> --help says more about a command.',
  ].join('\n')
}

/** `rowhouse users`: the commands that begin with this word. */
export function groupHelp(members: Command[]): string {
  const [word] = members[0]!.name.split(' ')
  return [
    `Usage: rowhouse ${word} <command> [--setting=value …]`,
    '',
    'Commands:',
    ...members.map(line),
    '',
    `rowhouse ${word} <command> --help says more about a command.`,
  ].join('\n')
}

export function commandHelp(command: Command): string {
  const concerned = command.settings ?? keys
  const switches = [
    ...Object.keys(command.switches ?? {}).map((name) => `[--${name}]`),
    ...Object.keys(command.values ?? {}).map((name) => `[--${name}=…]`),
  ]
  const usage = ['rowhouse', command.name, command.arguments, ...switches, concerned.length ? '[--setting=value …]' : undefined]
  return [`Usage: ${usage.filter(Boolean).join(' ')}`, '', command.description, ...switchesHelp(command), ...settingsHelp(concerned)].join(
    '\n',
  )
}

function switchesHelp({ switches = {}, values = {} }: Command): string[] {
  const lines = [
    ...Object.entries(switches).map(([name, help]) => `  --${name}  ${help}`),
    ...Object.entries(values).map(([name, help]) => `  --${name}=…  ${help}`),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}

function settingsHelp(concerned: SettingKey[]): string[] {
  if (concerned.length === 0) return []
  const groups = Map.groupBy(concerned, groupOf)
  const lines = [...groups].flatMap(([title, members]) => ['', `${title}:`, ...members.flatMap(settingHelp)])
  return ['', 'Settings, each a flag or an environment variable; flags win:', ...lines]
}

/** The order of the settings; each of these begins a group. */
const beginnings: Partial<Record<SettingKey, string>> = {
  host: 'Network',
  dataDir: 'Database',
  schemas: 'What is served',
  queryTimeoutMs: 'Limits',
  s3Bucket: 'Files in S3',
  transferIdleMs: 'Limits',
  pluginsDir: 'Plugins',
  backupPassphraseFile: 'Backups',
  metrics: 'Monitoring',
  setupCode: 'Accounts',
  publicDocs: 'Description and log',
}

function groupOf(key: SettingKey): string {
  const before = keys.slice(0, keys.indexOf(key) + 1).findLast((candidate) => beginnings[candidate])
  return beginnings[before ?? 'host'] ?? ''
}

function settingHelp(key: SettingKey): string[] {
  const setting: Setting<unknown> = settings[key]
  const fallback = displayDefault(setting)
  return [
    `  --${setting.flag}, ${setting.env}`,
    `      ${setting.help}${fallback ? ` Default: ${fallback}.` : ''} Example: ${setting.example}`,
  ]
}

/** The README's table; `test/docs.test.ts` keeps both equal. */
export function settingsTable(): string {
  const rows = keys.map((key) => {
    const setting: Setting<unknown> = settings[key]
    const fallback = displayDefault(setting)
    return `| \`${setting.env}\` | \`--${setting.flag}\` | ${fallback ? `\`${fallback}\`` : ''} | ${setting.help} |`
  })
  return ['| Variable | Flag | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
