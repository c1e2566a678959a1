import type { Strings } from '../en'

export const about: Strings['about'] = {
  title: 'Über Rowhouse',
  version: 'Version',
  commit: 'Build',
  api: 'API',
  health: 'Zustand',
  states: { ok: 'Alles läuft', degraded: 'Läuft, aber nicht alle Plugins ließen sich laden', unavailable: 'Nicht bereit' },
  database: 'Datenbank',
  databaseStates: { ok: 'erreichbar', unavailable: 'nicht erreichbar' },
  serving: 'Nimmt Anfragen an',
  yes: 'ja',
  no: 'nein',
  failedPlugins: 'Fehlgeschlagene Plugins',
  documentation: 'Beschreibung der API',
  licences: 'Enthält PostgreSQL, React, Mantine und andere; die Lizenzen stehen bei den Quellen.',
}
