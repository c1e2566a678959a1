import type { Strings } from '../en'
import { pluralIn } from '../plural'

const plural = pluralIn('de')

export const record: Strings['record'] = {
  create: 'Neuer Datensatz',
  untitled: (table) => `Datensatz von ${table}`,
  backTo: (table) => `Zu ${table}`,
  none: 'keine Angabe',
  save: 'Speichern',
  discard: 'Verwerfen',
  changes: (count) =>
    count === 0
      ? 'Alles ist gespeichert.'
      : plural(count, { one: '# Änderung nicht gespeichert', other: '# Änderungen nicht gespeichert' }),
  notSaved: (count) =>
    count === 0 ? 'Das wurde nicht gespeichert' : plural(count, { one: 'Nicht gespeichert: # Feld', other: 'Nicht gespeichert: # Felder' }),
  incomplete: 'ist nur zum Teil ausgefüllt',
  madeKey: 'Bleibt das leer, vergibt der Dienst einen Wert.',
  filledIn: 'Vom Dienst ausgefüllt',
  readOnlyTable: 'Diese Tabelle lässt sich nur lesen.',
  readOnlyRole: 'Sie dürfen das lesen, aber nicht ändern.',
  notFound: 'Diesen Datensatz gibt es nicht',
  noRecord: 'Kein Datensatz gefunden',
  notFoundText: 'Er wurde gelöscht, oder sein Schlüssel hat sich geändert.',
  range: (min, max) =>
    min === undefined && max === undefined
      ? ''
      : min === undefined
        ? `Höchstens ${max}.`
        : max === undefined
          ? `Mindestens ${min}.`
          : `${min} bis ${max}.`,
  length: (min, max) =>
    min === undefined && max === undefined
      ? ''
      : min === undefined
        ? `Höchstens ${max} Zeichen.`
        : max === undefined
          ? `Mindestens ${min} Zeichen.`
          : `${min} bis ${max} Zeichen.`,
  pattern: (pattern) => `Muss passen zu ${pattern}`,
  zone: (zone) => `Zeit von ${zone}.`,
  noJson: (line) => (line > 0 ? `Das ist kein JSON; siehe Zeile ${line}.` : 'Das ist kein JSON.'),
  clear: (name) => `${name} leeren`,
  noChoice: 'Keine Auswahl enthält das.',
  searchIn: (table) => `In ${table} suchen`,
  searching: 'Sucht …',
  previous: 'Voriger Datensatz',
  next: 'Nächster Datensatz',
  menu: 'Menü dieses Datensatzes',
  address: 'Adresse und API',
  addressHere: 'Dieser Datensatz',
  addressApi: 'Über die API',
  document: 'Dokument erstellen',
  documentAction: 'Erstellen und anhängen',
  template: 'Vorlage',
  format: 'Format',
  intoColumn: 'Anhängen an',
  delete: 'Löschen',
  deleteTitle: 'Diesen Datensatz löschen?',
  deleteText: 'Er verschwindet mit seinen Dateien. Das lässt sich nicht rückgängig machen.',
  leave: 'Ohne Speichern verlassen?',
  leaveText: 'Was Sie hier geändert haben, ist noch nicht gespeichert.',
  leaveAction: 'Verlassen und verwerfen',
  stay: 'Bleiben',
  conflict: 'Jemand anders hat das geändert',
  conflictText:
    'Während Sie daran gearbeitet haben, hat jemand anders diese Felder gespeichert. Wählen Sie, was bleiben soll; Ihre anderen Änderungen werden mitgespeichert.',
  mine: 'Ihre Fassung',
  theirs: 'Andere Fassung',
  saveChosen: 'Auswahl speichern',
  filesOf: (column) => `Dateien von ${column}`,
  noFiles: 'Keine Dateien.',
  addFiles: 'Dateien hinzufügen',
  dropOrPaste: 'Dateien hierher ziehen oder ein Bild einfügen.',
  dropHere: 'Loslassen, um sie hinzuzufügen.',
  uploads: 'Unterwegs',
  progressOf: (file) => `${file} wird gesendet`,
  cancelUpload: 'Abbrechen',
  cancelNamed: (file) => `${file} nicht senden`,
  dismiss: 'Ausblenden',
  again: 'Noch einmal',
  look: (file) => `${file} ansehen`,
  openFile: (file) => `${file} öffnen`,
  download: 'Herunterladen',
  downloadNamed: (file) => `${file} herunterladen`,
  remove: 'Entfernen',
  removeNamed: (file) => `${file} entfernen`,
  removeFile: 'Diese Datei entfernen?',
  removeFileText: (file) => `„${file}“ verschwindet aus dem Datensatz. Das lässt sich nicht rückgängig machen.`,
  previousPicture: 'Voriges Bild',
  nextPicture: 'Nächstes Bild',
  placeOf: (place, count) => `${place} von ${count}`,
}
