/** History, the trash and undo. */
export const historyMessages = {
  'This record has no such change.': 'Dieser Datensatz hat keine solche Änderung.',
  'There is no such record in the trash.': 'Im Papierkorb ist kein solcher Datensatz.',
  'The record was restored meanwhile, or there is another one with its key.':
    'Der Datensatz wurde inzwischen wiederhergestellt, oder es gibt einen anderen mit seinem Schlüssel.',
  'No changes of this request are in the log.': 'Im Protokoll sind keine Änderungen dieser Anfrage.',
  'The request made more than {mostChanges} changes, which are too many to undo at once.':
    'Die Anfrage hat mehr als {mostChanges} Änderungen gemacht; das sind zu viele, um sie auf einmal rückgängig zu machen.',
  'Restore a backup, or one table of it.': 'Stellen Sie eine Sicherung wieder her, oder eine Tabelle daraus.',
  'The request changed a table that is gone, or that you may not see.':
    'Die Anfrage hat eine Tabelle geändert, die es nicht mehr gibt oder die Sie nicht sehen dürfen.',
  '"{name}" was emptied as a whole (TRUNCATE), which leaves no values in the log.':
    '„{name}“ wurde als Ganzes geleert (TRUNCATE); davon bleiben keine Werte im Protokoll.',
  '{count} of the records were changed since. Nothing was undone.':
    '{count} der Datensätze wurden seitdem geändert. Nichts wurde rückgängig gemacht.',
  'Leave these as they are with {parameter}.': 'Lassen Sie diese mit {parameter}, wie sie sind.',
  'Changes of "{name}" cannot be logged: it is no table of its own, or has no primary key.':
    'Änderungen von „{name}“ können nicht protokolliert werden: Es ist keine eigene Tabelle oder hat keinen Primärschlüssel.',
  'The database does not let Rowhouse log the changes of "{name}".':
    'Die Datenbank erlaubt Rowhouse nicht, die Änderungen von „{name}“ zu protokollieren.',
  'Grant the role of DATABASE_URL the right TRIGGER on the table, in the database.':
    'Geben Sie der Rolle von DATABASE_URL in der Datenbank das Recht TRIGGER an der Tabelle.',
  'Send the id of the last event, unchanged.': 'Senden Sie die id des letzten Ereignisses, unverändert.',
  'Here "select" takes names of columns and nothing else.': '„select“ nimmt hier Namen von Spalten und nichts anderes.',
  '"wait" is a number of seconds from 0 to {maxWaitS}.': '„wait“ ist eine Anzahl von Sekunden von 0 bis {maxWaitS}.',
  'Changes of "{name}" are not logged.': 'Änderungen von „{name}“ werden nicht protokolliert.',
  'An administrator turns it on with {request}.': 'Eine Administratorin oder ein Administrator schaltet es mit {request} ein.',
  'Filters are for the changes of one table.': 'Filter sind für die Änderungen einer einzelnen Tabelle.',
  'At most {mostTables} tables can be named.': 'Höchstens {mostTables} Tabellen können genannt werden.',
  'The record has changed more than {mostLaterChanges} times since, too often for a way back.':
    'Der Datensatz wurde seitdem mehr als {mostLaterChanges}-mal geändert, zu oft für einen Weg zurück.',
  'The database does not let Rowhouse stop the log of "{name}".':
    'Die Datenbank erlaubt Rowhouse nicht, das Protokoll von „{name}“ zu beenden.',
  'Its owner can drop the triggers named rowhouse_log_…, in the database.':
    'Wem die Tabelle gehört, kann in der Datenbank die Trigger rowhouse_log_… löschen.',
} as const
