import type { Strings } from '../en'

export const documentStrings: Strings['documents'] = {
  title: 'Dokumente',
  text: 'Vorlagen, die aus Datensätzen Dokumente erstellen.',
  ownText:
    'Plugins fügen eigene Vorlagen hinzu, die diese ersetzen. Führen Sie „rowhouse plugins init“ im Ordner des Dienstes aus und starten Sie den Dienst neu: Das legt eine Kopie dieser Vorlage an, die Sie ändern können.',
  refused: 'Diese Plugins wurden nicht geladen, deshalb fehlen ihre Vorlagen:',
  parameters: 'Angaben für dieses Dokument',
  noParameters: 'Dieses Dokument braucht keine Angaben.',
  format: 'Format',
  formats: { pdf: 'PDF', html: 'Webseite', docx: 'Word', md: 'Markdown', txt: 'Text' },
  oneValuePerLine: 'Ein Wert pro Zeile.',
  asJson: 'JSON eingeben.',
  brokenArray: 'Das beginnt wie ein JSON-Array, ist aber keines. Geben Sie einen Wert pro Zeile ein, oder ein JSON-Array von Texten.',
  choose: 'Auswählen …',
  preview: 'Vorschau',
  make: (count) => (count === 1 ? 'Dokument erstellen …' : `Dokument aus ${count} Datensätzen erstellen …`),
  makeOf: (count) => (count === 1 ? 'Ein Dokument aus diesem Datensatz erstellen' : `Ein Dokument aus ${count} Datensätzen erstellen`),
  noneFor: (table, count) =>
    count === 1
      ? `Für Datensätze von „${table}“ gibt es noch keine Vorlage. Wer Ihre Vorlagen schreibt, kann eine hinzufügen.`
      : `Keine Vorlage erstellt ein Dokument aus mehreren Datensätzen von „${table}“. Erstellen Sie aus jedem Datensatz ein eigenes.`,
  previewOf: (title) => `Vorschau: ${title}`,
  fillInParameters: 'Füllen Sie die Pflichtfelder aus, um eine Vorschau zu sehen.',
  creating: 'Dokument wird erstellt …',
  noPreview: (format) => `Für ${format} gibt es keine Vorschau. Laden Sie das Dokument herunter, oder wählen Sie ein anderes Format.`,
  noLongPreview: 'Für ein Dokument aus so vielen Datensätzen gibt es keine Vorschau. Laden Sie es herunter.',
  missingCharacters: (list) =>
    `Keine Schrift hat diese Zeichen, deshalb fehlen sie im Dokument (${list}). Wer die Vorlage schreibt, kann eine passende Schrift in ihren Ordner legen.`,
  andMore: (count) => `und ${count} weitere`,
  download: 'Herunterladen',
  open: 'In neuem Tab öffnen',
  save: 'In einem Datensatz speichern',
  saveText: 'Fügt das Dokument den Dateien des Datensatzes hinzu.',
  table: 'Tabelle',
  record: 'Datensatz',
  recordHelp: (key) => `Sein Wert in der Spalte „${key}“.`,
  column: 'Spalte',
  fileName: 'Dateiname',
  saveAction: 'Speichern',
  savedTo: (name, table, record) => `${name} im Datensatz ${record} von ${table} gespeichert.`,
  noAttachments: 'Keine Tabelle hat eine Spalte vom Typ „Dateien“.',
}
