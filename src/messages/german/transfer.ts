/** Import and export of CSV and workbooks. */
export const transferMessages = {
  'This is a spreadsheet or another compressed file, not CSV.':
    'Das ist eine Tabellenkalkulation oder eine andere komprimierte Datei, kein CSV.',
  'Spreadsheets must be .xlsx. In Excel: Save as, "Excel Workbook". In LibreOffice: Save as, "Excel 2007-365".':
    'Tabellenkalkulationen müssen .xlsx sein. In Excel: Speichern unter, „Excel-Arbeitsmappe“. In LibreOffice: Speichern unter, „Excel 2007-365“.',
  'the file is not {encoding} throughout': 'die Datei ist nicht durchgehend {encoding}',
  'The client closed the connection.': 'Der Client hat die Verbindung beendet.',
  'The first rows took longer than allowed, and the export was cancelled.':
    'Die ersten Zeilen haben zu lange gedauert; der Export wurde abgebrochen.',
  'Use a narrower filter or fewer columns.': 'Verwenden Sie einen engeren Filter oder weniger Spalten.',
  'This format holds at most {most} records; the query returns more.':
    'Dieses Format fasst höchstens {most} Datensätze; die Abfrage liefert mehr.',
  'Export them as CSV, or request fewer with a narrower filter or "limit".':
    'Exportieren Sie als CSV, oder fragen Sie mit engerem Filter oder "limit" nach weniger.',
  'You have no such export.': 'Einen solchen Export haben Sie nicht.',
  'The parameter "{name}" has no meaning for an export.': 'Der Parameter "{name}" hat bei einem Export keine Bedeutung.',
  'Use "limit" and "offset".': 'Verwenden Sie "limit" und "offset".',
  'The parameter "{name}" works only with export.csv.': 'Der Parameter "{name}" geht nur mit export.csv.',
  'Workbook exports accept only the parameter "timezone".': 'Der Export als Arbeitsmappe nimmt nur den Parameter "timezone".',
  'The parameter "{name}" appears in the URL more than once.': 'Der Parameter "{name}" kommt in der Adresse mehr als einmal vor.',
  'The parameter "{stray}" works only with for=people.': 'Der Parameter "{stray}" geht nur mit for=people.',
  'The parameter "{name}" must be {expected}.': 'Der Parameter "{name}" muss {expected} sein.',
  'Too many exports are running right now.': 'Im Moment laufen zu viele Exporte.',
  'has {count} cells, and "columns" names {named}': 'hat {count} Zellen, und "columns" nennt {named}',
  'appears in the header twice': 'kommt in der Kopfzeile zweimal vor',
  'the header has no column of the table': 'die Kopfzeile hat keine Spalte der Tabelle',
  'A file with links to many records needs the primary key to find the records of an upsert.':
    'Eine Datei mit Verknüpfungen zu mehreren Datensätzen braucht den Primärschlüssel, um vorhandene Datensätze zu finden.',
  'Leave "on" out.': 'Lassen Sie "on" weg.',
  'is required and not in the file': 'ist Pflicht und fehlt in der Datei',
  'is not a column of this table': 'ist keine Spalte dieser Tabelle',
  'is not a column of this table; did you mean "{similar}"?': 'ist keine Spalte dieser Tabelle; meinten Sie "{similar}"?',
  '"{name}" has no primary key.': '"{name}" hat keinen Primärschlüssel.',
  'Name a unique column with "on".': 'Nennen Sie mit "on" eine eindeutige Spalte.',
  'The columns of "on" are not a unique key of "{name}".': 'Die Spalten von "on" sind kein eindeutiger Schlüssel von "{name}".',
  'is needed to find the records of an upsert, and is not in the file':
    'wird gebraucht, um vorhandene Datensätze zu finden, und fehlt in der Datei',
  'The data directory cannot be read, so nothing was imported.': 'Das Datenverzeichnis ist nicht lesbar; es wurde nichts importiert.',
  'There is not enough disk space for this file; nothing was imported.':
    'Auf dem Datenträger ist nicht genug Platz für diese Datei; es wurde nichts importiert.',
  'Ask your administrator to free some space; ROWHOUSE_MIN_FREE_BYTES stays free.':
    'Bitten Sie die Administration, Platz zu schaffen; ROWHOUSE_MIN_FREE_BYTES bleibt frei.',
  'the file is empty': 'die Datei ist leer',
  'the header line is too long': 'die Kopfzeile ist zu lang',
  'opens a quotation mark that is never closed': 'öffnet ein Anführungszeichen, das nie geschlossen wird',
  'is refused by a rule of "{table}"': 'wird von einer Regel von "{table}" abgelehnt',
  'has more than {maxCells} columns': 'hat mehr als {maxCells} Spalten',
  'has too many columns: there is room for {maxCells}, and those with formulas=escape, dates, decimals or a time zone need twice as much':
    'hat zu viele Spalten: Platz ist für {maxCells}, und solche mit formulas=escape, Datumsangaben, Dezimalzeichen oder einer Zeitzone brauchen doppelt so viel',
  'contains a NUL, which text cannot hold': 'enthält ein NUL, das in keinem Text stehen darf',
  'contains bytes that are not UTF-8': 'enthält Bytes, die kein UTF-8 sind',
  'is too large for PostgreSQL to hold as text, or a record shortly before it is':
    'ist als Text zu groß für PostgreSQL, oder ein Datensatz kurz darüber ist es',
  'cannot be read as CSV': 'ist nicht als CSV lesbar',
  'The import was cancelled; nothing was imported.': 'Der Import wurde abgebrochen; es wurde nichts importiert.',
  'You have no such import.': 'Einen solchen Import haben Sie nicht.',
  'The instance that had the import has stopped; nothing was imported.':
    'Die Instanz, die importiert hat, wurde beendet; es wurde nichts importiert.',
  'The form has no file.': 'Das Formular enthält keine Datei.',
  'Send the file as a part with a filename, after the fields.': 'Senden Sie die Datei als Teil mit einem Dateinamen, nach den Feldern.',
  'The form has more parts after the file.': 'Das Formular hat nach der Datei weitere Teile.',
  'Send only one file, as the last part.': 'Senden Sie nur eine Datei, als letzten Teil.',
  'must be a JSON object whose keys are names in the header, such as {example}':
    'muss ein JSON-Objekt mit den Namen der Kopfzeile als Schlüsseln sein, wie {example}',
  'is not in the header': 'fehlt in der Kopfzeile',
  'is not acceptable': 'ist nicht zulässig',
  'is filled by Rowhouse, not by a file': 'wird von Rowhouse gefüllt, nicht von einer Datei',
  'column {place}, which has no name ({count} {count|cell|cells})': 'Spalte {place}, die keinen Namen hat ({count} {count|Zelle|Zellen})',
  'could be each of several columns of this table, whose names look alike':
    'kann jede von mehreren Spalten dieser Tabelle sein, deren Namen gleich aussehen',
  'There is no parameter "{name}" here.': 'Den Parameter "{name}" gibt es hier nicht.',
  'Use {allowed}.': 'Verwenden Sie {allowed}.',
  'The parameter "{name}" is in the form, where it is not read.': 'Der Parameter "{name}" ist im Formular, wo er nicht gelesen wird.',
  'Send it in the URL: ?{name}=…': 'Senden Sie ihn in der Adresse: ?{name}=…',
  'The parameter "on" works only with mode=upsert.': 'Der Parameter "on" geht nur mit mode=upsert.',
  'Without a header line, "columns" must name the columns in their order.':
    'Ohne Kopfzeile muss "columns" die Spalten in ihrer Reihenfolge nennen.',
  '{message}: "{cell}"': '{message}: "{cell}"',
  'is required': 'ist Pflicht',
  '{columns} together {message}': '{columns} zusammen: {message}',
  'must be unique, and is already in line {line}': 'muss eindeutig sein und kommt bereits in Zeile {line} vor',
  'must be unique, and another record has it': 'muss eindeutig sein, und ein anderer Datensatz hat den Wert',
  'points to no record': 'zeigt auf keinen Datensatz',
  'points to no record of "{name}"': 'zeigt auf keinen Datensatz von "{name}"',
  'is neither the key nor the name of a record of "{table}"': 'ist weder der Schlüssel noch der Name eines Datensatzes von "{table}"',
  'You may not create records in "{name}".': 'Sie dürfen in "{name}" keine Datensätze anlegen.',
  'With links=keys, cells have no names for which createLinked could create records.':
    'Mit links=keys haben Zellen keine Namen, für die createLinked Datensätze anlegen könnte.',
  'is not the name of a record of "{table}"': 'ist nicht der Name eines Datensatzes von "{table}"',
  'is the name of several records of "{table}"; write the key instead':
    'ist der Name mehrerer Datensätze von "{table}"; schreiben Sie stattdessen den Schlüssel',
  'is the key of one record of "{table}" and the name of another; links=keys or links=names decides':
    'ist der Schlüssel eines Datensatzes von "{table}" und der Name eines anderen; links=keys oder links=names entscheidet',
  'can be one name or several names of records of "{table}"; write a JSON array':
    'kann ein Name oder mehrere Namen von Datensätzen von "{table}" sein; schreiben Sie ein JSON-Array',
  'does not fit a rule of this table': 'verletzt eine Regel dieser Tabelle',
  'must have at most {length} characters': 'darf höchstens {length} Zeichen haben',
  'must be a day that exists, written as {written}': 'muss ein Tag sein, den es gibt, geschrieben wie {written}',
  '{expectation}, written as {written}': '{expectation}, geschrieben wie {written}',
  'must be a list of some of {choices}': 'muss eine Liste aus {choices} sein',
  'must be one of {choices}': 'muss eines von {choices} sein',
  'must be a list of keys of other records, each of which {expectation}':
    'muss eine Liste von Schlüsseln anderer Datensätze sein; jeder {expectation}',
  'is the key of another record, and {expectation}': 'ist der Schlüssel eines anderen Datensatzes und {expectation}',
  'must be the id of a user, a UUID': 'muss die ID eines Benutzers sein, eine UUID',
  'must be a number of at most {precision} digits, {scale} of them after the decimal point':
    'muss eine Zahl mit höchstens {precision} Ziffern sein, {scale} davon nach dem Komma',
  'must be a list, as a JSON array, each of whose values {expectation}': 'muss eine Liste als JSON-Array sein; jeder Wert {expectation}',
  'must be a number': 'muss eine Zahl sein',
  '{expectation}, and a value of PostgreSQL’s type {type}': '{expectation} und muss ein Wert des PostgreSQL-Typs {type} sein',
  'must be a value of PostgreSQL’s type {type}': 'muss ein Wert des PostgreSQL-Typs {type} sein',
  'must be a timestamp with an offset, such as 2026-01-31T12:00:00Z; timezone= names the zone of a file without offsets':
    'muss ein Zeitpunkt mit Zeitzone sein, wie 2026-01-31T12:00:00Z; timezone= nennt die Zeitzone einer Datei, die keine angibt',
  'must be a timestamp, such as 2026-01-31T12:00:00Z, or a local time that occurs exactly once in {timezone}':
    'muss ein Zeitpunkt sein, wie 2026-01-31T12:00:00Z, oder eine Ortszeit, die es in {timezone} genau einmal gibt',
  'must be a timestamp, such as 2026-01-31T12:00:00Z': 'muss ein Zeitpunkt sein, wie 2026-01-31T12:00:00Z',
  'must be a whole number from -32768 to 32767': 'muss eine ganze Zahl von -32768 bis 32767 sein',
  'must be a whole number from -2147483648 to 2147483647': 'muss eine ganze Zahl von -2147483648 bis 2147483647 sein',
  'must be a whole number of 64 bits': 'muss eine ganze Zahl mit 64 Bit sein',
  'must be true or false': 'muss true oder false sein',
  'must be a day in the form YYYY-MM-DD': 'muss ein Tag in der Form JJJJ-MM-TT sein',
  'must be a timestamp without an offset, such as 2026-01-31T12:00:00': 'muss ein Zeitpunkt ohne Zeitzone sein, wie 2026-01-31T12:00:00',
  'must be a UUID': 'muss eine UUID sein',
  'must be JSON': 'muss JSON sein',
  'must be text': 'muss Text sein',
  'The body must be a CSV file.': 'Der Inhalt der Anfrage muss eine CSV-Datei sein.',
  'Send the header Content-Type: text/csv, or a form (multipart/form-data) with the file.':
    'Senden Sie den Header Content-Type: text/csv oder ein Formular (multipart/form-data) mit der Datei.',
  'The import took longer than ROWHOUSE_TRANSFER_TIMEOUT allows; nothing was imported.':
    'Der Import hat länger gedauert, als ROWHOUSE_TRANSFER_TIMEOUT erlaubt; es wurde nichts importiert.',
  'The rules for you have changed since the import began; nothing was imported.':
    'Die Regeln für Sie haben sich seit dem Beginn des Imports geändert; es wurde nichts importiert.',
  'Send the file again: it is then read under the present rules.':
    'Senden Sie die Datei erneut: dann wird sie nach den jetzigen Regeln gelesen.',
  'Send the file in parts.': 'Senden Sie die Datei in Teilen.',
  'The parameter "name" must name the new table.': 'Der Parameter "name" muss die neue Tabelle nennen.',
  'Another import of yours is running. Wait for it, or send Prefer: respond-async: then up to {maxQueued} imports wait for their turn.':
    'Ein anderer Import von Ihnen läuft. Warten Sie, oder senden Sie Prefer: respond-async: dann warten bis zu {maxQueued} Importe, bis sie an der Reihe sind.',
  'Too many imports are running. Send Prefer: respond-async to queue the import.':
    'Es laufen zu viele Importe. Senden Sie Prefer: respond-async; der Import wartet dann, bis er an der Reihe ist.',
  'Something went wrong on our side.': 'Ein interner Fehler ist aufgetreten.',
  'The same file has been imported with this Idempotency-Key in the meantime.':
    'Dieselbe Datei wurde inzwischen mit diesem Idempotency-Key importiert.',
  'The same file has been imported with this Idempotency-Key in the meantime: {address}':
    'Dieselbe Datei wurde inzwischen mit diesem Idempotency-Key importiert: {address}',
  'The data directory cannot be written, so this import cannot wait for its turn.':
    'Das Datenverzeichnis ist nicht beschreibbar; dieser Import kann deshalb nicht warten.',
  'The file is compressed.': 'Die Datei ist komprimiert.',
  'The upload stalled.': 'Der Upload stockt.',
  'Send it without long pauses.': 'Senden Sie ihn ohne lange Pausen.',
  'The upload was interrupted.': 'Der Upload wurde unterbrochen.',
  'The workbook has no sheet of this name.': 'Die Arbeitsmappe hat kein Tabellenblatt mit diesem Namen.',
  'Its sheets are {names}.': 'Ihre Tabellenblätter sind {names}.',
  'The parameters "sheet" and "headerRow" work only with a workbook (.xlsx), and this file is not one.':
    'Die Parameter "sheet" und "headerRow" gehen nur mit einer Arbeitsmappe (.xlsx), und diese Datei ist keine.',
  'There are too many blank lines between the records.': 'Zwischen den Datensätzen stehen zu viele leere Zeilen.',
  'has {count} cells, and the header has {columns}': 'hat {count} Zellen, und die Kopfzeile hat {columns}',
  'the file is damaged, or is not a workbook (.xlsx)': 'die Datei ist beschädigt oder keine Arbeitsmappe (.xlsx)',
  'the file holds more than {maxFiles} parts': 'die Datei enthält mehr als {maxFiles} Teile',
  'the file is larger than {maxBytes} bytes when it is unpacked': 'die Datei ist entpackt größer als {maxBytes} Bytes',
  'the sheet has more than {maxImportColumns} columns': 'das Tabellenblatt hat mehr als {maxImportColumns} Spalten',
  'the part {path} of the file is too large': 'der Teil {path} der Datei ist zu groß',
  'the texts of the file are too large; save it as CSV': 'die Texte der Datei sind zu groß; speichern Sie sie als CSV',
  'a cell of the file is too large': 'eine Zelle der Datei ist zu groß',
  'Some corrections do not fit the file; nothing was imported.': 'Einige Korrekturen passen nicht zur Datei; es wurde nichts importiert.',
  'must be a JSON array': 'muss ein JSON-Array sein',
  'must have at most {maxCorrections} items': 'darf höchstens {maxCorrections} Einträge haben',
  'must be an object': 'muss ein Objekt sein',
  'is not a member of a correction': 'gehört nicht zu einer Korrektur',
  'must be the number of a line': 'muss die Nummer einer Zeile sein',
  'must be a text of at most {maxLength} characters': 'muss ein Text von höchstens {maxLength} Zeichen sein',
  'contains a character that text cannot hold': 'enthält ein Zeichen, das in Text nicht möglich ist',
  'is not the line of a record that can be read': 'ist nicht die Zeile eines lesbaren Datensatzes',
  'is not a column that the file fills': 'ist keine Spalte, die die Datei füllt',
  'corrects the same cell as another': 'korrigiert dieselbe Zelle wie eine andere',
  'is not the text of the cell': 'ist nicht der Text der Zelle',
} as const
