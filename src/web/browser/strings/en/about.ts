import { pluralIn } from '../plural'

const plural = pluralIn('en')

export const about = {
  title: 'About',
  version: 'Version',
  commit: 'Build',
  api: 'API',
  health: 'Health',
  states: { ok: 'All systems operational', degraded: 'Running, but some parts are unavailable', unavailable: 'Not ready' },
  database: 'Database',
  databaseStates: { ok: 'reachable', unavailable: 'not reachable' },
  attachments: 'Attachment storage',
  storageStates: { ok: 'reachable', unavailable: 'not reachable', mismatch: 'belongs to another database' },
  acceptsRequests: 'Accepts requests',
  yes: 'yes',
  no: 'no',
  failedPlugins: 'Failed plugins',
  documentation: 'API documentation',
  databaseKind: {
    inside: (version: string) => `PostgreSQL ${version}, built in`,
    own: (version: string) => `PostgreSQL ${version}, external`,
  },
  system: 'Database and storage',
  databaseSize: 'Database size',
  storage: 'Attachment location',
  files: 'Attachments',
  filesOf: (files: number, size: string) => plural(files, { one: `# file, ${size}`, other: `# files, ${size}` }),
  free: 'Free space',
  unknown: 'unknown',
  licences: 'Includes PostgreSQL, React, Mantine and other open-source software. The source code lists the licences.',
}
