import type { Strings } from '../en'
import { plural } from './plural'

export const home: Strings['home'] = {
  title: 'Tabellen',
  count: (tables) => plural(tables, { one: '# Tabelle', other: '# Tabellen' }),
  columns: (count) => plural(count, { one: '# Spalte', other: '# Spalten' }),
  name: 'Name',
  contents: 'Spalten',
  records: 'Datensätze',
  about: (count) => `etwa ${count}`,
  opened: 'Zuletzt geöffnet',
  readOnly: 'schreibgeschützt',
  more: (count) => `und ${count} weitere`,
  welcome: 'Erste Schritte',
  welcomeText: 'Es gibt noch keine Tabellen. Sie können später alles ändern oder löschen.',
  none: 'Noch keine Tabellen',
  noneText: 'Nur Administratoren können Tabellen anlegen. Bitten Sie die Administration, eine anzulegen.',
  emptyTable: 'Leere Tabelle',
  emptyTableText: 'Geben Sie einen Namen ein, und fügen Sie dann Spalten hinzu.',
  fromCsv: 'Tabelle aus einer Excel- oder CSV-Datei',
  fromCsvText: 'Aus Excel, Google Sheets oder einem anderen System. Namen und Typen der Spalten werden erkannt.',
  sample: 'Beispieldaten',
  sampleText: 'Kontakte, Projekte, Produkte mit Bildern und Bestellungen zum Ausprobieren.',
}
