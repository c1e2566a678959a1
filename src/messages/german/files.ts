/** Attachments and their storage. */
export const fileMessages = {
  "A file of a record cannot be used as a page's {destination}.":
    'Die Datei eines Datensatzes kann nicht als {destination} einer Seite dienen.',
  'Files are stored as they are sent, and this one is compressed.':
    'Dateien werden so gespeichert, wie sie gesendet werden; diese ist komprimiert.',
  'Send it without Content-Encoding.': 'Senden Sie die Datei ohne Content-Encoding.',
  'This multipart type is not that of a form.': 'Diese Art von Multipart-Inhalt ist kein Formular.',
  'Send multipart/form-data.': 'Senden Sie multipart/form-data.',
  'The file has no name.': 'Die Datei hat keinen Namen.',
  'Send it as multipart/form-data, or name it: ?name=photo.jpg':
    'Senden Sie die Datei als multipart/form-data, oder nennen Sie ihren Namen: ?name=photo.jpg',
  'An upload holds at most {limitBytes} bytes.': 'Ein Upload hat höchstens {limitBytes} Bytes.',
  'The body stopped arriving.': 'Der Inhalt der Anfrage kam nicht weiter an.',
  'The body ended before it was complete.': 'Der Inhalt der Anfrage endete zu früh.',
  'A file is larger than {limitBytes} bytes.': 'Eine Datei ist größer als {limitBytes} Bytes.',
  'There is not enough storage space for this file.': 'Für diese Datei ist nicht genug Speicherplatz frei.',
  'This column accepts only {accept}.': 'Diese Spalte nimmt nur {accept}.',
  'The type is detected from the content, not from the name or the Content-Type.':
    'Der Typ wird am Inhalt erkannt, nicht am Namen oder am Content-Type.',
  'Together, the files are larger than {limitBytes} bytes.': 'Die Dateien sind zusammen größer als {limitBytes} Bytes.',
  'The bytes of this file are missing or damaged.': 'Die Bytes dieser Datei fehlen oder sind beschädigt.',
  'Ask your administrator to run `rowhouse files check`.': 'Bitten Sie die Administration, `rowhouse files check` auszuführen.',
  'There is no such file.': 'Diese Datei gibt es nicht.',
  'There is no record with this key.': 'Es gibt keinen Datensatz mit diesem Schlüssel.',
  'There is no such attachment column.': 'Diese Spalte mit Dateien gibt es nicht.',
  'This cell accepts at most {mostFiles} {mostFiles|file|files}.': 'Diese Zelle nimmt höchstens {mostFiles} {mostFiles|Datei|Dateien}.',
  'Remove one first, or send ?replace=1 to replace the existing files.':
    'Entfernen Sie zuerst eine Datei, oder senden Sie ?replace=1, um die vorhandenen zu ersetzen.',
  'The request contains no file.': 'Die Anfrage enthält keine Datei.',
  'The upload was interrupted. Send it again.': 'Der Upload wurde unterbrochen. Senden Sie ihn noch einmal.',
  'The file storage is unavailable.': 'Der Dateispeicher ist nicht erreichbar.',
  'The file storage does not belong to this database.': 'Der Dateispeicher gehört nicht zu dieser Datenbank.',
  'The files were moved to another storage, which this instance does not use yet.':
    'Die Dateien sind in einen anderen Speicher umgezogen, den diese Instanz noch nicht verwendet.',
  'This file has no thumbnail.': 'Von dieser Datei gibt es kein Vorschaubild.',
  'Thumbnails are available for JPEG, PNG, GIF, WebP and BMP up to 64 MB, and for PDF up to 16 MB.':
    'Vorschaubilder gibt es für JPEG, PNG, GIF, WebP und BMP bis 64 MB und für PDF bis 16 MB.',
  'Pages are drawn only of PDFs up to 16 MB.': 'Seiten werden nur von PDFs bis 16 MB dargestellt.',
  'The page cannot be drawn right now.': 'Die Seite kann im Moment nicht dargestellt werden.',
  'The PDF is protected by a password.': 'Das PDF ist durch ein Passwort geschützt.',
  'The PDF is damaged.': 'Das PDF ist beschädigt.',
  'The PDF has no such page.': 'Diese Seite gibt es in dem PDF nicht.',
  'Drawing this page of the PDF takes more time or memory than allowed.':
    'Diese Seite darzustellen würde zu lange dauern oder zu viel Speicher brauchen.',
  'Too many thumbnails are being made right now.': 'Im Moment werden zu viele Vorschaubilder erstellt.',
} as const
