import type { Setting } from '../ops/setting-readers'
import { settings } from '../ops/settings'
import type { Command } from './command'

const all = Object.values(settings) as Setting<unknown>[]

const shown = (setting: Setting<unknown>) => setting.shownDefault ?? setting.default

/** `rowhouse --help`. */
export function mainHelp(commands: Command[]): string {
  return [
    'Rowhouse: tables, records and a REST API over real PostgreSQL, in one executable.',
    '',
    'Usage: rowhouse [command] [--setting=value …]',
    '',
    'Commands:',
    ...commands.map((command) => `  ${`${command.name} ${command.arguments ?? ''}`.padEnd(28)} ${command.summary}`),
    '',
    ...settingsHelp(),
    '',
    'rowhouse <command> --help says more about a command.',
  ].join('\n')
}

export function commandHelp(command: Command): string {
  return [
    `Usage: rowhouse ${command.name} ${command.arguments ?? ''}[--setting=value …]`,
    '',
    command.description,
    '',
    ...settingsHelp(),
  ].join('\n')
}

function settingsHelp(): string[] {
  const lines = all.map((setting) => {
    const fallback = shown(setting)
    return [
      `  --${setting.flag}, ${setting.env}`,
      `      ${setting.help}${fallback === undefined ? '' : ` Default: ${fallback}.`} Example: ${setting.example}`,
    ]
  })
  return ['Settings, each a flag or an environment variable; flags win:', ...lines.flat()]
}

/** The README's table; `test/docs.test.ts` holds the two together. */
export function settingsTable(): string {
  const rows = all.map((setting) => {
    const fallback = shown(setting)
    return `| \`${setting.env}\` | \`--${setting.flag}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${setting.help} |`
  })
  return ['| Variable | Flag | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
