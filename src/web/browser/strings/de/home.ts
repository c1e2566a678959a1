import type { Strings } from '../en'
import { pluralIn } from '../plural'

const plural = pluralIn('de')

export const home: Strings['home'] = {
  title: 'Tabellen',
  count: (tables) => plural(tables, { one: '# Tabelle', other: '# Tabellen' }),
  columns: (count) => plural(count, { one: '# Spalte', other: '# Spalten' }),
  name: 'Name',
  contents: 'Spalten',
  key: 'Schlüssel',
  readOnly: 'nur lesbar',
  more: (count) => `und ${count} weitere`,
  welcome: 'Womit möchten Sie anfangen?',
  welcomeText: 'Es gibt noch keine Tabellen. Alles lässt sich später ändern und löschen.',
  none: 'Es gibt noch keine Tabellen',
  noneText: 'Tabellen legt die Administration an. Sobald es eine gibt, steht sie hier.',
  emptyTable: 'Eine leere Tabelle',
  emptyTableText: 'Geben Sie ihr einen Namen, und fügen Sie dann die Spalten hinzu, die Sie brauchen.',
  fromCsv: 'Eine Tabelle aus einer CSV-Datei',
  fromCsvText: 'Aus Excel, Sheets oder einem anderen System. Namen und Typen der Spalten werden erkannt.',
  sample: 'Beispieldaten',
  sampleText: 'Kontakte und Projekte, Produkte mit Bildern, Bestellungen mit Positionen: zum Umsehen.',
}
