import type { Strings } from '../en'
import { pluralIn } from '../plural'

const plural = pluralIn('de')

export const tables: Strings['tables'] = {
  create: 'Neue Tabelle',
  createAction: 'Anlegen',
  name: 'Name',
  nameHelp: 'Beliebige Zeichen, höchstens 63 Bytes. Sie beginnt mit einer Textspalte.',
  firstColumn: 'Name',
  menuOf: (table) => `Menü von ${table}`,
  rename: 'Umbenennen',
  renameTitle: (table) => `${table} umbenennen`,
  delete: 'Löschen',
  deleteTitle: (table) => `${table} löschen`,
  deleteText: 'Die Tabelle verschwindet mit allen Datensätzen und Dateien. Das lässt sich nicht rückgängig machen.',
  deleteAction: 'Tabelle löschen',
  records: 'Datensätze',
  recordsOf: (table) => `Datensätze von ${table}`,
  shown: (count) => plural(count, { one: '# Datensatz', other: '# Datensätze' }),
  noRecords: 'Noch keine Datensätze',
  noRecordsText: 'Datensätze kommen per CSV, über die API oder von Hand.',
  columns: 'Spalten',
  type: 'Typ',
  required: 'Pflicht',
  unique: 'Eindeutig',
  yes: 'ja',
  no: 'nein',
  key: 'Schlüssel',
}
