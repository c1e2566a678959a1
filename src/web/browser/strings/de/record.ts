import type { Strings } from '../en'
import { plural } from './plural'

export const record: Strings['record'] = {
  create: 'Neuer Datensatz',
  newIn: (table) => `Neuer Datensatz in ${table}`,
  untitled: (table) => `Datensatz in ${table}`,
  backTo: (table) => `Zurück zu ${table}`,
  stars: (stars, max) => `${stars} von ${max} Sternen`,
  empty: 'leer',
  save: 'Speichern',
  discard: 'Verwerfen',
  changes: (count) =>
    count === 0
      ? 'Alle Änderungen gespeichert.'
      : plural(count, { one: '# nicht gespeicherte Änderung', other: '# nicht gespeicherte Änderungen' }),
  notSavedTitle: (count) =>
    count === 0
      ? 'Der Datensatz wurde nicht gespeichert'
      : plural(count, {
          one: 'Der Datensatz wurde nicht gespeichert: # Feld ist ungültig',
          other: 'Der Datensatz wurde nicht gespeichert: # Felder sind ungültig',
        }),
  generatedKey: 'Leer lassen, dann wird der Wert vergeben.',
  setByService: 'Wird vom Dienst gesetzt',
  readOnlyTable: 'Diese Tabelle ist schreibgeschützt.',
  readOnlyRole: 'Sie können diesen Datensatz ansehen, aber nicht ändern.',
  cannotCreate: 'Sie können in dieser Tabelle keine Datensätze anlegen.',
  createOnly: (table) => `Sie können Datensätze in „${table}“ anlegen, sehen aber die Datensätze darin nicht.`,
  createdUnseen: (count) =>
    plural(count, { one: 'Datensatz angelegt. Sie sehen ihn nicht.', other: '# Datensätze angelegt. Sie sehen sie nicht.' }),
  filesUnseen: (count) =>
    plural(count, {
      one: '# Datei wurde nicht hinzugefügt: Sie sehen ihren Datensatz nicht.',
      other: '# Dateien wurden nicht hinzugefügt: Sie sehen ihre Datensätze nicht.',
    }),
  notFound: 'Datensatz nicht gefunden',
  noMatchingRecords: 'Keine passenden Datensätze.',
  noSuchKey: 'Kein Datensatz mit diesem Schlüssel',
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
  pattern: (pattern) => `Muss ${pattern} entsprechen`,
  zone: (zone) => `Zeitzone: ${zone}.`,
  invalidJson: (line) => (line > 0 ? `Ungültiges JSON in Zeile ${line}.` : 'Ungültiges JSON.'),
  dateParts: { day: 'TT', month: 'MM', year: 'JJJJ' },
  clear: (name) => `${name} leeren`,
  noMatchingChoices: 'Keine passende Auswahl.',
  open: 'Öffnen',
  openNamed: (name) => `${name} öffnen`,
  nowWith: (name) => `jetzt bei ${name}`,
  takes: (name, owner) => `Nimmt ${owner} den Datensatz ${name} weg.`,
  showMore: (count) => plural(count, { one: '# weiteren zeigen', other: '# weitere zeigen' }),
  searchIn: (table) => `In ${table} suchen`,
  searching: 'Suche läuft …',
  panel: 'Geöffneter Datensatz',
  openPage: 'Als Seite öffnen',
  previous: 'Vorheriger Datensatz',
  next: 'Nächster Datensatz',
  menu: 'Datensatzmenü',
  links: 'Link und API',
  linkToRecord: 'Link zu diesem Datensatz',
  apiRequest: 'API-Anfrage',
  document: 'Dokument erstellen',
  documentAction: 'Erstellen und anhängen',
  template: 'Vorlage',
  format: 'Format',
  intoColumn: 'Anhängen an',
  delete: 'Löschen',
  deleteTitle: 'Diesen Datensatz löschen?',
  deleteText: 'Der Datensatz und seine Dateien werden gelöscht. Werden Änderungen der Tabelle protokolliert, kommt er in den Papierkorb.',
  leave: 'Ohne Speichern verlassen?',
  leaveText: 'Ihre Änderungen wurden nicht gespeichert.',
  leaveAction: 'Änderungen verwerfen',
  stay: 'Bleiben',
  conflict: 'Von jemand anderem geändert',
  conflictText:
    'Während Sie bearbeitet haben, hat jemand anderes diese Felder geändert. Wählen Sie die Werte aus, die Sie behalten möchten. Ihre anderen Änderungen werden mitgespeichert.',
  mine: 'Ihr Wert',
  theirs: 'Anderer Wert',
  saveSelected: 'Ausgewählte Werte speichern',
  filesOf: (column) => `Dateien in ${column}`,
  noFiles: 'Keine Dateien.',
  addFiles: 'Dateien hinzufügen',
  dropOrPaste: 'Ziehen Sie Dateien hierher, oder fügen Sie ein Bild ein.',
  dropHere: 'Loslassen, um die Dateien hinzuzufügen.',
  uploads: 'Uploads',
  progressOf: (file) => `${file} wird hochgeladen`,
  cancelUpload: 'Abbrechen',
  cancelNamed: (file) => `Hochladen von ${file} abbrechen`,
  dismiss: 'Ausblenden',
  retry: 'Erneut versuchen',
  view: (file) => `${file} ansehen`,
  openFile: (file) => `${file} öffnen`,
  download: 'Herunterladen',
  downloadNamed: (file) => `${file} herunterladen`,
  remove: 'Entfernen',
  removeNamed: (file) => `${file} entfernen`,
  removeFile: 'Diese Datei entfernen?',
  removeFileText: (file) => `„${file}“ wird aus dem Datensatz entfernt. Das kann nicht rückgängig gemacht werden.`,
  previousFile: 'Vorherige Datei',
  nextFile: 'Nächste Datei',
  noPreview: 'Die Datei kann hier nicht angezeigt werden. Laden Sie sie herunter.',
  position: (place, count) => `${place} von ${count}`,
  previousPage: 'Vorherige Seite',
  nextPage: 'Nächste Seite',
  page: (number, count) => `Seite ${number} von ${count}`,
}
