/** Attachments and their storage. */
export const fileMessages = {
  "A file of a record is never a page's {destination}.": 'Die Datei eines Datensatzes ist nie {destination} einer Seite.',
  'A file is stored as it is sent, and this one is sent packed.':
    'Dateien werden so gespeichert, wie sie gesendet werden; diese ist gepackt.',
  'Send it without Content-Encoding.': 'Senden Sie die Datei ohne Content-Encoding.',
  'This kind of multipart body is none of a form.': 'Diese Art von Multipart-Inhalt ist kein Formular.',
  'Send multipart/form-data.': 'Senden Sie multipart/form-data.',
  'The file has no name.': 'Die Datei hat keinen Namen.',
  'Send it as multipart/form-data, or name it: ?name=photo.jpg':
    'Senden Sie die Datei als multipart/form-data, oder nennen Sie ihren Namen: ?name=photo.jpg',
  'An upload holds at most {limitBytes} bytes.': 'Ein Upload hat höchstens {limitBytes} Bytes.',
  'The body stopped coming.': 'Der Inhalt der Anfrage kam nicht weiter an.',
  'The body ended before it was whole.': 'Der Inhalt der Anfrage endete zu früh.',
  'A file is larger than {limitBytes} bytes.': 'Eine Datei ist größer als {limitBytes} Bytes.',
  'There is no room for this file.': 'Für diese Datei ist kein Speicherplatz frei.',
  'This column takes only {accept}.': 'Diese Spalte nimmt nur {accept}.',
  'What counts is what the bytes are, not the name or the Content-Type that they are sent with.':
    'Es zählt, was die Bytes sind, nicht der Name oder der gesendete Content-Type.',
  'The files are together larger than {limitBytes} bytes.': 'Die Dateien sind zusammen größer als {limitBytes} Bytes.',
  'The bytes of this file are missing or damaged.': 'Die Bytes dieser Datei fehlen oder sind beschädigt.',
  'Ask who keeps the service: `rowhouse files check` says more.': 'Fragen Sie die Administration: `rowhouse files check` sagt mehr.',
  'There is no such file.': 'Diese Datei gibt es nicht.',
  'There is no record with this key.': 'Es gibt keinen Datensatz mit diesem Schlüssel.',
  'There is no such column of files.': 'Diese Spalte mit Dateien gibt es nicht.',
  'This cell takes at most {mostFiles} {mostFiles|file|files}.': 'Diese Zelle nimmt höchstens {mostFiles} {mostFiles|Datei|Dateien}.',
  'Remove one first, or send ?replace=1 to put the new ones in the place of the old.':
    'Entfernen Sie zuerst eine Datei, oder senden Sie ?replace=1, um die alten durch die neuen zu ersetzen.',
  'No file came with this request.': 'Die Anfrage enthält keine Datei.',
  'The upload was interrupted. Send it again.': 'Der Upload wurde unterbrochen. Senden Sie ihn noch einmal.',
  'The storage of files is away.': 'Der Dateispeicher ist nicht erreichbar.',
  'The storage of files is not that of this database.': 'Der Dateispeicher gehört nicht zu dieser Datenbank.',
  'The files were moved to another storage, which this instance does not use yet.':
    'Die Dateien sind in einen anderen Speicher umgezogen, den diese Instanz noch nicht verwendet.',
  'There is no smaller picture of this file.': 'Von dieser Datei gibt es kein kleineres Bild.',
  'Thumbnails are made of JPEG, PNG, GIF, WebP and BMP.': 'Vorschaubilder gibt es von JPEG, PNG, GIF, WebP und BMP.',
  'Too many pictures are being made smaller at this moment.': 'Im Moment werden zu viele Bilder verkleinert.',
} as const
