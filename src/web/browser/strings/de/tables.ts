import type { Strings } from '../en'
import { plural } from './plural'

export const tableStrings: Strings['tables'] = {
  create: 'Neue Tabelle',
  createAction: 'Anlegen',
  name: 'Name',
  nameHelp: 'Die Tabelle beginnt mit einer Textspalte.',
  firstColumn: 'Name',
  menuOf: (table) => `Menü für ${table}`,
  rename: 'Umbenennen',
  renameTitle: (table) => `${table} umbenennen`,
  delete: 'Löschen',
  deleteTitle: (table) => `${table} löschen`,
  deleteText: 'Die Tabelle wird mit allen Datensätzen und Dateien gelöscht. Das kann nicht rückgängig gemacht werden.',
  deleteAction: 'Tabelle löschen',
  records: 'Datensätze',
  recordsOf: (table) => `Datensätze in ${table}`,
  shown: (count) => plural(count, { one: '# Datensatz', other: '# Datensätze' }),
  noRecords: 'Noch keine Datensätze',
  noRecordsText: 'Tippen Sie in die Zeile oben, fügen Sie Zeilen aus einer Tabellenkalkulation ein, oder importieren Sie eine Datei.',
  columns: 'Spalten',
  type: 'Typ',
  required: 'Pflicht',
  unique: 'Eindeutig',
  yes: 'ja',
  no: 'nein',
  key: 'Schlüssel',
}
