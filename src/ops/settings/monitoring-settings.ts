import { booleanValue, type Setting, textValue } from './setting-readers'

/** Where a server listens. Port 0 takes a free one. */
export type ListenAddress = { host: string; port: number }

function listenAddress(text: string): ListenAddress {
  const { v6, host = v6, port } = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<host>[\w.-]+)):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {}
  if (!host || Number(port) > 65_535) throw new Error('must be an address and a port')
  return { host, port: Number(port) }
}

function alertAddress(text: string): string {
  if (URL.canParse(text) && /^https?:\/\//i.test(text)) return text
  throw new Error('must be an address that begins with https:// or http://')
}

/** Settings of metrics, the access log and alerts. */
export const monitoringSettings = {
  metrics: {
    env: 'ROWHOUSE_METRICS',
    flag: 'metrics',
    shownDefault: 'off',
    example: '127.0.0.1:9464',
    help: 'Address and port of a separate listener that serves metrics for Prometheus at /metrics, without sign-in.',
    read: listenAddress,
  },
  accessLog: {
    env: 'ROWHOUSE_ACCESS_LOG',
    flag: 'access-log',
    default: '0',
    example: '1',
    help: 'Log one line per request: route, status, time, bytes, user and token.',
    read: booleanValue,
  },
  alertUrl: {
    env: 'ROWHOUSE_ALERT_URL',
    flag: 'alert-url',
    example: 'https://alerts.example.org/rowhouse',
    help: 'URL that receives a POST with JSON when a backup fails or is late (docs/backup.md).',
    read: alertAddress,
  },
  alertCommand: {
    env: 'ROWHOUSE_ALERT_COMMAND',
    flag: 'alert-command',
    example: 'mail -s "Rowhouse" ops@example.org',
    help: 'Command that /bin/sh runs when a backup fails or is late, with the same JSON on its standard input.',
    read: textValue,
  },
} satisfies Record<string, Setting<unknown>>
