import type { Strings } from '../en'
import { plural } from './plural'

export const about: Strings['about'] = {
  title: 'Über Rowhouse',
  version: 'Version',
  commit: 'Build',
  api: 'API',
  health: 'Zustand',
  states: { ok: 'Alles in Betrieb', degraded: 'In Betrieb, aber einige Teile sind nicht verfügbar', unavailable: 'Nicht bereit' },
  database: 'Datenbank',
  databaseStates: { ok: 'erreichbar', unavailable: 'nicht erreichbar' },
  attachments: 'Speicher der Anhänge',
  storageStates: { ok: 'erreichbar', unavailable: 'nicht erreichbar', mismatch: 'gehört zu einer anderen Datenbank' },
  acceptsRequests: 'Nimmt Anfragen an',
  yes: 'ja',
  no: 'nein',
  failedPlugins: 'Fehlgeschlagene Plugins',
  documentation: 'API-Dokumentation',
  databaseKind: { inside: (version) => `PostgreSQL ${version}, eingebaut`, own: (version) => `PostgreSQL ${version}, extern` },
  system: 'Datenbank und Speicher',
  databaseSize: 'Größe der Datenbank',
  storage: 'Speicherort der Anhänge',
  files: 'Anhänge',
  filesOf: (files, size) => plural(files, { one: `# Datei, ${size}`, other: `# Dateien, ${size}` }),
  free: 'Freier Speicherplatz',
  unknown: 'unbekannt',
  licences: 'Enthält PostgreSQL, React, Mantine und andere Open-Source-Software. Der Quellcode nennt die Lizenzen.',
}
