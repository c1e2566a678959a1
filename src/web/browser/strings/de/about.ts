import type { Strings } from '../en'
import { pluralIn } from '../plural'

const plural = pluralIn('de')

export const about: Strings['about'] = {
  title: 'Über Rowhouse',
  version: 'Version',
  commit: 'Build',
  api: 'API',
  health: 'Zustand',
  states: { ok: 'Alles läuft', degraded: 'Läuft, aber nicht alles ist verfügbar', unavailable: 'Nicht bereit' },
  database: 'Datenbank',
  databaseStates: { ok: 'erreichbar', unavailable: 'nicht erreichbar' },
  attachments: 'Ablage der Anhänge',
  storageStates: { ok: 'erreichbar', unavailable: 'nicht erreichbar', mismatch: 'nicht die dieser Datenbank' },
  serving: 'Nimmt Anfragen an',
  yes: 'ja',
  no: 'nein',
  failedPlugins: 'Fehlgeschlagene Plugins',
  documentation: 'Beschreibung der API',
  databaseKind: { inside: (version) => `PostgreSQL ${version}, mitgeliefert`, own: (version) => `PostgreSQL ${version}, Ihr eigenes` },
  system: 'Datenbank und Ablage',
  databaseSize: 'Größe der Datenbank',
  storage: 'Ort der Anhänge',
  files: 'Anhänge',
  filesOf: (files, size) => plural(files, { one: `# Datei, ${size}`, other: `# Dateien, ${size}` }),
  free: 'Noch frei',
  unknown: 'unbekannt',
  licences: 'Enthält PostgreSQL, React, Mantine und andere; die Lizenzen stehen bei den Quellen.',
}
