/** Messages that any request can get: bodies, URLs, limits, the database, documents. */
export const serviceMessages = {
  'The service is starting.': 'Der Dienst startet.',
  'The location of the backups does not respond.': 'Der Speicherort der Sicherungen antwortet nicht.',
  'No folder for backups is set.': 'Es ist kein Ordner für Sicherungen eingestellt.',
  'Set {setting} to a folder, and start the service again.': 'Setzen Sie {setting} auf einen Ordner, und starten Sie den Dienst neu.',
  'A backup is under way.': 'Eine Sicherung läuft bereits.',
  'Only backups in the location of {setting} can be downloaded or held.':
    'Nur Sicherungen am Ort von {setting} können heruntergeladen oder behalten werden.',
  'There is no such backup.': 'Diese Sicherung gibt es nicht.',
  'The file of this backup no longer exists.': 'Die Datei dieser Sicherung gibt es nicht mehr.',
  'The database is busy with other requests.': 'Die Datenbank ist mit anderen Anfragen ausgelastet.',
  'The database is unavailable; it should be back in a moment.': 'Die Datenbank ist nicht erreichbar; sie sollte gleich wieder da sein.',
  'The query took longer than allowed and was cancelled.': 'Die Abfrage hat zu lange gedauert und wurde abgebrochen.',
  'Use a narrower filter, a smaller limit or fewer columns.':
    'Verwenden Sie einen engeren Filter, ein kleineres Limit oder weniger Spalten.',
  'The database is busy or restarting.': 'Die Datenbank ist ausgelastet oder startet neu.',
  'The database is out of memory or disk space.': 'Der Datenbank fehlt Arbeitsspeicher oder Speicherplatz.',
  'The template has no such format.': 'Dieses Format hat die Vorlage nicht.',
  'It has {known}.': 'Sie hat {known}.',
  'There is no such template.': 'Diese Vorlage gibt es nicht.',
  'GET /api/v1/documents lists those that you may use.': 'GET /api/v1/documents listet die Vorlagen auf, die Sie verwenden dürfen.',
  'The body must be JSON.': 'Der Inhalt der Anfrage muss JSON sein.',
  'Send the header Content-Type: application/json.': 'Senden Sie den Header Content-Type: application/json.',
  'The document could not be created: {reason}.': 'Das Dokument konnte nicht erstellt werden: {reason}.',
  'Too many documents are being created.': 'Im Moment werden zu viele Dokumente erstellt.',
  'You may not do this.': 'Sie haben dafür keine Berechtigung.',
  'The record has changed since you read it.': 'Der Datensatz hat sich geändert, seit Sie ihn gelesen haben.',
  'Merge your change into the current record and send it again with the ETag of this answer.':
    'Führen Sie Ihre Änderung mit dem aktuellen Datensatz zusammen, und senden Sie sie mit dem ETag dieser Antwort noch einmal.',
  'A record with this key exists, and If-None-Match: * creates new ones only.':
    'Einen Datensatz mit diesem Schlüssel gibt es bereits, und If-None-Match: * legt nur neue an.',
  'Leave If-None-Match out to replace the record, or send If-Match with its ETag.':
    'Lassen Sie If-None-Match weg, um den Datensatz zu ersetzen, oder senden Sie If-Match mit seinem ETag.',
  'Some values are not acceptable.': 'Einige Werte sind nicht zulässig.',
  'The file has a problem; nothing was imported.': 'Die Datei hat einen Fehler; es wurde nichts importiert.',
  'The file has {errorCount} problems; nothing was imported.': 'Die Datei hat {errorCount} Fehler; es wurde nichts importiert.',
  'The body is not valid JSON.': 'Der Inhalt der Anfrage ist kein gültiges JSON.',
  'The body is larger than {limitBytes} bytes.': 'Der Inhalt der Anfrage ist größer als {limitBytes} Bytes.',
  'The service is busy or its database is unavailable.': 'Der Dienst ist ausgelastet, oder seine Datenbank ist nicht erreichbar.',
  'It is unknown whether this was done: it took too long, or the connection to the database was lost.':
    'Es ist nicht bekannt, ob das ausgeführt wurde: Es hat zu lange gedauert, oder die Verbindung zur Datenbank ging verloren.',
  'Check before you send it again. With the header Idempotency-Key, it is safe to send it again unchanged.':
    'Sehen Sie nach, bevor Sie es noch einmal senden. Mit dem Header Idempotency-Key können Sie es gefahrlos unverändert noch einmal senden.',
  'ROWHOUSE_MAX_BODY_BYTES sets this limit. A CSV import accepts up to {maxUploadBytes} bytes (ROWHOUSE_MAX_UPLOAD_BYTES).':
    'ROWHOUSE_MAX_BODY_BYTES setzt diese Grenze. Ein CSV-Import nimmt bis zu {maxUploadBytes} Bytes (ROWHOUSE_MAX_UPLOAD_BYTES).',
  'ROWHOUSE_MAX_BODY_BYTES sets this limit, unless the endpoint sets its own ("maxBodyBytes").':
    'ROWHOUSE_MAX_BODY_BYTES setzt diese Grenze, wenn der Endpunkt keine eigene setzt ("maxBodyBytes").',
  'The endpoint sets this limit ("maxBodyBytes"), up to ROWHOUSE_MAX_UPLOAD_BYTES.':
    'Der Endpunkt setzt diese Grenze ("maxBodyBytes"), höchstens ROWHOUSE_MAX_UPLOAD_BYTES.',
  'The body is nested more than {maxDepth} levels deep.': 'Der Inhalt der Anfrage ist mehr als {maxDepth} Ebenen tief verschachtelt.',
  'The body is not UTF-8 text.': 'Der Inhalt der Anfrage ist kein Text in UTF-8.',
  'The body could not be read.': 'Der Inhalt der Anfrage ist nicht lesbar.',
  'GET /swagger/json lists every route.': 'GET /swagger/json listet alle Routen auf.',
  'This URL supports {allowed}.': 'Diese Adresse unterstützt {allowed}.',
  'The body is missing or is not of the expected type.': 'Der Inhalt der Anfrage fehlt oder ist nicht von der erwarteten Art.',
  'This value is not acceptable.': 'Dieser Wert ist nicht zulässig.',
  'Expected one of: {words}': 'Erwartet wird eines von: {words}',
  'The body is not a complete form (multipart/form-data).': 'Der Inhalt der Anfrage ist kein vollständiges Formular (multipart/form-data).',
  'The form has too many parts; at most {mostFiles} files are accepted at once.':
    'Das Formular hat zu viele Teile; höchstens {mostFiles} Dateien auf einmal.',
  'The form has too many inputs.': 'Das Formular hat zu viele Eingaben.',
  'The field "{name}" of the form is too long.': 'Das Feld "{name}" des Formulars ist zu lang.',
  'The header Host names no host.': 'Der Header Host nennt keinen Host.',
  'The query has more than 1000 parameters.': 'Die Adresse hat mehr als 1000 Parameter.',
  'No API route matches this URL. The API is under /api/v1.': 'Unter dieser Adresse gibt es keine API. Die API liegt unter /api/v1.',
  'This took too long.': 'Das hat zu lange gedauert.',
  'The template has an error.': 'Die Vorlage hat einen Fehler.',
  'The header Idempotency-Key takes one key of 1 to {longestKey} characters.':
    'Der Header Idempotency-Key nimmt einen Schlüssel mit 1 bis {longestKey} Zeichen.',
  'Send a string in quotes: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".':
    'Senden Sie eine Zeichenkette in Anführungszeichen: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".',
  'A request with this Idempotency-Key is under way.': 'Eine Anfrage mit diesem Idempotency-Key läuft noch.',
  'Send it again when that request has ended; the answer will be the same.':
    'Senden Sie sie noch einmal, wenn jene beendet ist; die Antwort ist dann dieselbe.',
  'This Idempotency-Key belongs to another request.': 'Dieser Idempotency-Key gehört zu einer anderen Anfrage.',
  'Use a new key for each request, and the same key only to send a request again unchanged.':
    'Verwenden Sie für jede Anfrage einen neuen Schlüssel, und denselben nur, um eine Anfrage unverändert noch einmal zu senden.',
} as const
