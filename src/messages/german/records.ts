/** Reading and writing of records. */
export const recordMessages = {
  '{method} does not accept "ifNoneMatch".': '{method} nimmt kein "ifNoneMatch".',
  'PUT does: it creates a record with a key.': 'PUT schon: es legt einen Datensatz mit Schlüssel an.',
  '{method} needs "pk", the key of the record.': '{method} braucht "pk", den Schlüssel des Datensatzes.',
  'POST accepts neither "pk" nor "ifMatch".': 'POST nimmt weder "pk" noch "ifMatch".',
  'PUT creates a record with a key.': 'PUT legt einen Datensatz mit Schlüssel an.',
  'must be one record': 'muss ein einzelner Datensatz sein',
  'is missing': 'fehlt',
  'access to this table': 'Zugriff auf diese Tabelle',
  'This function may change data; calling it needs the role editor.':
    'Diese Funktion kann Daten ändern; zum Aufrufen wird die Rolle editor gebraucht.',
  'The table is no longer in the database.': 'Die Tabelle gibt es in der Datenbank nicht mehr.',
  'Rowhouse does not have the database privileges to do this with the table.':
    'Rowhouse hat in der Datenbank nicht die Rechte, das mit der Tabelle zu tun.',
  'Grant the role of DATABASE_URL its privileges on the table again.':
    'Geben Sie der Rolle von DATABASE_URL ihre Rechte an der Tabelle in der Datenbank wieder.',
  'The table was altered outside Rowhouse.': 'Die Tabelle wurde außerhalb von Rowhouse geändert.',
  'In the database, change it back to the columns and types that GET /api/v1/tables shows.':
    'Machen Sie die Änderung in der Datenbank rückgängig, zu den Spalten und Typen, die GET /api/v1/tables zeigt.',
  'a column': 'einer Spalte',
  'Another record has this value in {named}.': 'Ein anderer Datensatz hat diesen Wert in {named}.',
  'must be unique': 'muss eindeutig sein',
  'In a URL, + means a space: write %2B for the + of an offset.':
    'In einer Adresse bedeutet + ein Leerzeichen: Schreiben Sie %2B für das + eines Zeitabstands.',
  'The counter of {named} is exhausted: a record has the largest possible number.':
    'Der Zähler von {named} ist erschöpft: Ein Datensatz hat die größte mögliche Zahl.',
  'Send an unused number, or delete that record and reset the counter in the database.':
    'Senden Sie eine freie Zahl, oder löschen Sie diesen Datensatz und setzen Sie den Zähler in der Datenbank zurück.',
  'has a counter that is exhausted': 'hat einen Zähler, der erschöpft ist',
  'The value of {named} conflicts with another record.': 'Der Wert von {named} steht im Konflikt mit einem anderen Datensatz.',
  'conflicts with another record': 'steht im Konflikt mit einem anderen Datensatz',
  'breaks a link': 'verletzt eine Verknüpfung',
  'is required and cannot be null': 'ist Pflicht und darf nicht leer sein',
  'was {value} at that time, which the column’s present type cannot hold unchanged':
    'war damals {value}, was der heutige Typ der Spalte nicht unverändert aufnimmt',
  'does not meet the condition of the view': 'erfüllt nicht die Bedingung der Sicht, durch die geschrieben wird',
  'Row level security refused this.': 'Die Zeilenrechte der Datenbank (Row Level Security) haben das abgelehnt.',
  'A policy of the table does not allow it; ask the administrator of the database.':
    'Eine Richtlinie der Tabelle erlaubt es nicht; fragen Sie die Administration der Datenbank.',
  'Two of the records have the same key.': 'Zwei der Datensätze haben denselben Schlüssel.',
  'A value is out of range or not of its column’s type.': 'Ein Wert liegt außerhalb des Bereichs oder passt nicht zum Typ seiner Spalte.',
  'A value is too long for a key or a unique column, or the record is too wide.':
    'Ein Wert ist zu lang für einen Schlüssel oder eine eindeutige Spalte, oder der Datensatz ist zu breit.',
  '{named} links to a record that does not exist.': '{named} verweist auf einen Datensatz, den es nicht gibt.',
  'Other records still link to this one.': 'Andere Datensätze verweisen noch auf diesen.',
  'The value of {named} links to a record that does not exist, or other records still link to this one.':
    'Der Wert von {named} verweist auf einen Datensatz, den es nicht gibt, oder andere Datensätze verweisen noch auf diesen.',
  'does not fit the rule "{name}"': 'verletzt die Regel "{name}"',
  'belongs to no partition of this table': 'gehört zu keiner Partition dieser Tabelle',
  'A trigger of the table does not allow it; ask the administrator of the database.':
    'Ein Trigger der Tabelle erlaubt es nicht; fragen Sie die Administration der Datenbank.',
  'A rule in the database refused this: {reason}': 'Eine Regel der Datenbank hat das abgelehnt: {reason}',
  'A rule in the database refused this.': 'Eine Regel der Datenbank hat das abgelehnt.',
  'If-Match may contain only entity tags.': 'If-Match darf nur ETags enthalten.',
  'Send the ETag as you received it, with its quotation marks.':
    'Senden Sie den ETag so, wie Sie ihn erhalten haben, mit seinen Anführungszeichen.',
  '"{name}" has no primary key, so its records have no addresses.':
    '"{name}" hat keinen Primärschlüssel; ihre Datensätze haben deshalb keine Adressen.',
  'List them with a filter.': 'Listen Sie sie mit einem Filter auf.',
  '"limit" must be from 1 to {mostRecords}.': '"limit" muss von 1 bis {mostRecords} reichen.',
  'The database does not let Rowhouse read "{name}".': 'Die Datenbank lässt Rowhouse "{name}" nicht lesen.',
  'add records to': 'Datensätze anlegen in',
  'change records of': 'Datensätze ändern in',
  'delete records of': 'Datensätze löschen in',
  'The database does not let Rowhouse {verb} "{name}".': 'Die Datenbank erlaubt Rowhouse das nicht: {verb} "{name}".',
  'PostgreSQL cannot {verb} "{name}", which is not a table, or does not let Rowhouse do it.':
    'PostgreSQL kann oder erlaubt das nicht: {verb} "{name}"; es ist keine Tabelle.',
  'Write to the underlying tables instead.': 'Schreiben Sie stattdessen in die zugrunde liegenden Tabellen.',
  'Grant the role of DATABASE_URL its privileges on the table.':
    'Geben Sie der Rolle von DATABASE_URL in der Datenbank ihre Rechte an der Tabelle.',
  'Aggregates do not work on a single record.': 'Aggregate gehen nicht bei einem einzelnen Datensatz.',
  'Aggregates do not work on writes.': 'Aggregate gehen nicht beim Schreiben.',
  'Request them with GET.': 'Fragen Sie sie mit GET ab.',
  'The database generates the keys of "{name}", so PUT cannot set them.':
    'Die Schlüssel von "{name}" erzeugt die Datenbank; PUT kann sie nicht setzen.',
  'POST creates a record, PATCH changes one.': 'POST legt einen Datensatz an, PATCH ändert einen.',
  'There is no record with this key, and If-Match requires one.':
    'Es gibt keinen Datensatz mit diesem Schlüssel, und If-Match verlangt einen.',
  'The requests continue separately.': 'Die Anfragen laufen getrennt weiter.',
  'The body names no column, so there is nothing to change.': 'Der Inhalt der Anfrage nennt keine Spalte; es gibt nichts zu ändern.',
  'A filter is needed, since this would change all records.': 'Ein Filter ist nötig, denn das würde alle Datensätze ändern.',
  'To address all records, send ?{first}=not.is.null': 'Um alle Datensätze zu betreffen, senden Sie ?{first}=not.is.null',
  'Neither "!inner" nor a parameter of embedded records chooses the records to write.':
    'Weder "!inner" noch ein Parameter eingebetteter Datensätze wählt aus, welche Datensätze geschrieben werden.',
  'Write the condition as author(name)=eq.x.': 'Schreiben Sie die Bedingung als author(name)=eq.x.',
  'This would affect {count} records, and at most {most} are allowed. Nothing was done.':
    'Das würde {count} Datensätze betreffen, und höchstens {most} sind erlaubt. Es wurde nichts getan.',
  '"{name}" holds records of a table that may not be changed.':
    '"{name}" enthält Datensätze einer Tabelle, die nicht geändert werden darf.',
  'Links ("{name}") cannot be sent when duplicates are ignored.':
    'Verknüpfungen ("{name}") können nicht gesendet werden, wenn Doppelte übergangen werden.',
  'names a record twice, which can link to one of these records only':
    'nennt einen Datensatz zweimal, der nur mit einem dieser Datensätze verknüpft sein kann',
  'has more than {maxShownLinks} links, of which only the first are shown; change the link of each record on the other side':
    'hat mehr als {maxShownLinks} Verknüpfungen, von denen nur die ersten gezeigt werden; ändern Sie die Verknüpfung jedes Datensatzes auf der anderen Seite',
  '"{name}" {message}.': '"{name}" {message}.',
  '"{name}" links to a record that does not exist.': '"{name}" verweist auf einen Datensatz, den es nicht gibt.',
  'cannot unlink a record whose link back is required; link that record to another one instead':
    'kann einen Datensatz nicht lösen, dessen Verknüpfung zurück Pflicht ist; verknüpfen Sie jenen stattdessen mit einem anderen Datensatz',
  'must be an array of keys': 'muss ein Array von Schlüsseln sein',
  'The array is empty.': 'Das Array ist leer.',
  'One request accepts at most {mostRecords} records; split them into several requests.':
    'Eine Anfrage nimmt höchstens {mostRecords} Datensätze an; teilen Sie sie auf mehrere Anfragen auf.',
  'A number {hugeExponent}.': 'Eine Zahl {hugeExponent}.',
  'is numbered by the database and cannot be set': 'wird von der Datenbank nummeriert und kann nicht gesetzt werden',
  'is the key of the record and cannot be changed': 'ist der Schlüssel des Datensatzes und kann nicht geändert werden',
  'is not the key in the path': 'ist nicht der Schlüssel aus der Adresse',
  'holds files, which cannot be sent: upload and delete them one by one (…/attachments)':
    'enthält Dateien, die nicht gesendet werden können: Laden Sie sie einzeln hoch, und löschen Sie sie einzeln (…/attachments)',
  'is filled in by the database and cannot be sent': 'wird von der Datenbank gefüllt und kann nicht gesendet werden',
  'is filled in by the service and cannot be sent': 'wird vom Dienst gefüllt und kann nicht gesendet werden',
  'cannot be written: Rowhouse does not have the database privilege':
    'kann nicht geschrieben werden: Rowhouse hat in der Datenbank nicht das Recht',
  'cannot be empty, "." or "..", since no URL could name such a record':
    'darf nicht leer, "." oder ".." sein, denn keine Adresse könnte einen solchen Datensatz nennen',
} as const
