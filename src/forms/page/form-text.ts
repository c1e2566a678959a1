import type { MessageLanguage } from '../../messages/message'

const english = {
  send: 'Send',
  required: 'required',
  noScript: 'This form needs JavaScript, which keeps robots away. Please turn it on for this page.',
  choose: 'Please choose',
  units: { dateTime: 'Time in UTC.', percent: 'In percent.', duration: 'In minutes, or as hours:minutes.' } as Partial<
    Record<string, string>
  >,
  notDate: 'Not a date. Enter it like {day}.',
  decimalMark: 'Write numbers with a decimal point and without thousands separators: 1234.50',
  trap: 'Leave this empty',
  wrong: 'Please look at the marked fields, and send the form again.',
  again: 'It took a while. Nothing is lost: please send the form again.',
  files: 'Files have to be chosen again.',
  thanksTitle: 'Thank you',
  thanks: 'Your answer has arrived.',
  goneTitle: 'There is no form here',
  gone: 'It may have been closed, or the address is not complete.',
  failed: 'This did not work',
}

const german: typeof english = {
  send: 'Absenden',
  required: 'Pflichtfeld',
  noScript: 'Dieses Formular braucht JavaScript, das Roboter fernhält. Bitte schalten Sie es für diese Seite ein.',
  choose: 'Bitte wählen',
  units: { dateTime: 'Uhrzeit in UTC.', percent: 'In Prozent.', duration: 'In Minuten, oder als Stunden:Minuten.' },
  notDate: 'Kein Datum. Geben Sie es so ein: {day}.',
  decimalMark: 'Schreiben Sie Zahlen mit Dezimalkomma und ohne Tausendertrennzeichen: 1234,50',
  trap: 'Bitte leer lassen',
  wrong: 'Bitte sehen Sie die markierten Felder durch und senden Sie das Formular noch einmal ab.',
  again: 'Das hat etwas gedauert. Nichts ist verloren: Bitte senden Sie das Formular noch einmal ab.',
  files: 'Dateien müssen noch einmal ausgewählt werden.',
  thanksTitle: 'Vielen Dank',
  thanks: 'Ihre Antwort ist angekommen.',
  goneTitle: 'Hier gibt es kein Formular',
  gone: 'Vielleicht wurde es geschlossen, oder die Adresse ist nicht vollständig.',
  failed: 'Das hat nicht geklappt',
}

export const formTexts: Record<MessageLanguage, typeof english> = { en: english, de: german }
