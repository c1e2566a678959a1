import { pluralIn } from '../plural'

const plural = pluralIn('en')

export const about = {
  title: 'About',
  version: 'Version',
  commit: 'Build',
  api: 'API',
  health: 'Health',
  states: { ok: 'Everything works', degraded: 'Works, but not everything is available', unavailable: 'Not ready' },
  database: 'Database',
  databaseStates: { ok: 'reachable', unavailable: 'not reachable' },
  attachments: 'Storage of attachments',
  storageStates: { ok: 'reachable', unavailable: 'not reachable', mismatch: 'not that of this database' },
  serving: 'Takes requests',
  yes: 'yes',
  no: 'no',
  failedPlugins: 'Plugins that failed',
  documentation: 'Description of the API',
  databaseKind: {
    inside: (version: string) => `PostgreSQL ${version}, inside`,
    own: (version: string) => `PostgreSQL ${version}, your own`,
  },
  system: 'Database and storage',
  databaseSize: 'Database takes',
  storage: 'Attachments in',
  files: 'Attachments',
  filesOf: (files: number, size: string) => plural(files, { one: `# file, ${size}`, other: `# files, ${size}` }),
  free: 'Room left',
  unknown: 'not known',
  licences: 'PostgreSQL, React, Mantine and others are inside; the licences are listed with the sources.',
}
