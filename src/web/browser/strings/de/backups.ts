import type { Strings } from '../en'
import { plural } from './plural'

export const backups: Strings['backups'] = {
  title: 'Sicherungen',
  text: 'Jede Sicherung wird in einen eigenen Ordner zurückgespielt, gestartet und verglichen, bevor sie als erprobt gilt.',
  now: 'Jetzt sichern',
  off: 'Es ist kein Ordner eingestellt. Mit ROWHOUSE_BACKUP_TO sichert der Dienst jede Nacht. „rowhouse backup FILE“ sichert von Hand.',
  folder: 'Ordner',
  schedule: 'Zeitplan',
  next: 'Nächste',
  never: 'nie',
  late: 'überfällig',
  walArchive: 'Archiv des Protokolls',
  archived: 'Zuletzt archiviert',
  notYet: 'noch nicht',
  waiting: (count: number) => plural(count, { one: '# Segment wartet', other: '# Segmente warten' }),
  steps: { Copying: 'Wird kopiert …', 'Trying it out': 'Wird erprobt …', Sending: 'Wird gesendet …' },
  none: 'Noch keine Sicherungen',
  noneText: 'Hier stehen die fertigen Sicherungen.',
  states: { proven: 'erprobt', unproven: 'nicht vollständig', failed: 'fehlgeschlagen' },
  origins: { schedule: 'nach Zeitplan', request: 'auf Wunsch', command: 'Kommandozeile' },
  took: (seconds) => `${seconds} s`,
  contents: (tables, records, files) =>
    [
      plural(tables, { one: '# Tabelle', other: '# Tabellen' }),
      plural(records, { one: '# Datensatz', other: '# Datensätze' }),
      plural(files, { one: '# Anhang', other: '# Anhänge' }),
    ].join(', '),
  download: 'Herunterladen',
  downloadOf: (time) => `Sicherung von ${time} herunterladen`,
  gone: 'nicht mehr da',
  unreachable: 'ihr Ort antwortet nicht',
  kept: 'bleibt, bis Sie sie entfernen',
  hold: 'Behalten',
  holdOf: (time) => `Sicherung von ${time} behalten`,
  release: 'Nicht mehr behalten',
  releaseOf: (time) => `Sicherung von ${time} nicht mehr behalten`,
}
