/** Share links: their creation and the pages that they show. */
export const linkMessages = {
  'A link to a document does not accept {name}.': 'Ein Link auf ein Dokument nimmt kein {name}.',
  'A link to a file does not accept {name}.': 'Ein Link auf eine Datei nimmt kein {name}.',
  'The record of a document needs a table and a key.': 'Der Datensatz eines Dokuments braucht eine Tabelle und einen Schlüssel.',
  'A link needs a table, or a document.': 'Ein Link braucht eine Tabelle oder ein Dokument.',
  'A link to a file needs table, pk, column and fileId.': 'Ein Link auf eine Datei braucht table, pk, column und fileId.',
  'You have {maxLinks} links already; revoke one that you no longer need.':
    'Sie haben bereits {maxLinks} Links; widerrufen Sie einen, den Sie nicht mehr brauchen.',
  'There is no such link.': 'Diesen Link gibt es nicht.',
  'A page of a link has at most {maxPageRecords} records.': 'Eine Seite eines Links hat höchstens {maxPageRecords} Datensätze.',
  'This link does not open: it is unknown or has ended, or its password is missing or wrong.':
    'Dieser Link öffnet nicht: Er ist unbekannt oder beendet, oder sein Passwort fehlt oder ist falsch.',
  'Programs send the password of a link in the header X-Link-Password.':
    'Programme senden das Passwort eines Links im Header X-Link-Password.',
  'Share links cannot be prefetched.': 'Links können nicht im Voraus geladen werden.',
  'Enter the password to open this link': 'Geben Sie das Passwort ein, um diesen Link zu öffnen',
  'It did not open with this password.': 'Mit diesem Passwort hat er sich nicht geöffnet.',
  'If you were given no password, or if the link does not open with it, ask the person who sent it for a new link.':
    'Wenn Sie kein Passwort haben oder der Link sich damit nicht öffnet, bitten Sie die Person, von der er kommt, um einen neuen.',
  Password: 'Passwort',
  Open: 'Öffnen',
  'Open until {time}': 'Gültig bis {time}',
  'This does not work at the moment': 'Das geht im Moment nicht',
  'There are no records here.': 'Hier gibt es keine Datensätze.',
  'Next page': 'Nächste Seite',
  Download: 'Herunterladen',
  Yes: 'Ja',
  No: 'Nein',
} as const
