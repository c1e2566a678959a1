/** History, the trash and undo. */
export const historyMessages = {
  'This record has no such change.': 'Dieser Datensatz hat keine solche Änderung.',
  'There is no such record in the trash.': 'Im Papierkorb ist kein solcher Datensatz.',
  'The record has already been restored, or another record has its key.':
    'Der Datensatz wurde bereits wiederhergestellt, oder ein anderer hat seinen Schlüssel.',
  'No changes of this request are in the log.': 'Im Protokoll sind keine Änderungen dieser Anfrage.',
  'The request made more than {maxChanges} changes, which are too many to undo at once.':
    'Die Anfrage hat mehr als {maxChanges} Änderungen gemacht; das sind zu viele, um sie auf einmal rückgängig zu machen.',
  'Restore a backup, or one table of it.': 'Stellen Sie eine Sicherung wieder her, oder eine Tabelle daraus.',
  'The request changed a table that no longer exists or that you may not read.':
    'Die Anfrage hat eine Tabelle geändert, die es nicht mehr gibt oder die Sie nicht sehen dürfen.',
  '"{name}" was emptied with TRUNCATE, which logs no values.':
    '„{name}“ wurde mit TRUNCATE geleert; dabei werden keine Werte protokolliert.',
  '{count} of the records have changed since. Nothing was undone.':
    '{count} der Datensätze wurden seitdem geändert. Nichts wurde rückgängig gemacht.',
  'The request created a table, so only an administrator can undo it.':
    'Die Anfrage hat eine Tabelle angelegt, daher kann nur die Administration sie rückgängig machen.',
  'Delete the table instead.': 'Löschen Sie stattdessen die Tabelle.',
  'The imported table has been used since. Nothing was undone.':
    'Die importierte Tabelle wurde seitdem benutzt. Nichts wurde rückgängig gemacht.',
  'To delete it with all of its records, send {parameter}.': 'Um sie mit allen Datensätzen zu löschen, senden Sie {parameter}.',
  'To skip these records, send {parameter}.': 'Um diese Datensätze zu übergehen, senden Sie {parameter}.',
  'Changes of "{name}" cannot be logged: it is not an ordinary table, or has no primary key.':
    'Änderungen von „{name}“ können nicht protokolliert werden: Es ist keine gewöhnliche Tabelle oder hat keinen Primärschlüssel.',
  'The database does not let Rowhouse log the changes of "{name}".':
    'Die Datenbank erlaubt Rowhouse nicht, die Änderungen von „{name}“ zu protokollieren.',
  'Grant the role of DATABASE_URL the TRIGGER privilege on the table.':
    'Geben Sie der Rolle von DATABASE_URL in der Datenbank das Recht TRIGGER an der Tabelle.',
  'Send the id of the last event, unchanged.': 'Senden Sie die id des letzten Ereignisses, unverändert.',
  'Here "select" accepts only names of columns.': '„select“ nimmt hier nur Namen von Spalten.',
  '"wait" must be a number of seconds from 0 to {maxWaitS}.': '„wait“ muss eine Anzahl von Sekunden von 0 bis {maxWaitS} sein.',
  'Changes of "{name}" are not logged.': 'Änderungen von „{name}“ werden nicht protokolliert.',
  'An administrator can turn it on with {request}.': 'Eine Administratorin oder ein Administrator kann es mit {request} einschalten.',
  'Filters work only for the changes of one table.': 'Filter gelten nur für die Änderungen einer einzelnen Tabelle.',
  'At most {maxTables} tables can be named.': 'Höchstens {maxTables} Tabellen können genannt werden.',
  'The record has changed more than {maxLaterChanges} times since, too often to be restored.':
    'Der Datensatz wurde seitdem mehr als {maxLaterChanges}-mal geändert, zu oft, um ihn zurückzusetzen.',
  'The database does not let Rowhouse stop the log of "{name}".':
    'Die Datenbank erlaubt Rowhouse nicht, das Protokoll von „{name}“ zu beenden.',
  'The owner of the table can drop the triggers named rowhouse_log_… in the database.':
    'Wem die Tabelle gehört, kann in der Datenbank die Trigger rowhouse_log_… löschen.',
} as const
