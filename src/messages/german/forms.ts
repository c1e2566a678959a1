/** Public forms. */
export const formMessages = {
  'The body must be a form.': 'Der Inhalt muss ein Formular sein.',
  'must be an object whose keys are field names': 'muss ein Objekt sein, dessen Schlüssel Feldnamen sind',
  'is not known here': 'ist hier nicht bekannt',
  'A condition of a form compares fields with eq, neq, in and is, joined by &.':
    'Eine Bedingung eines Formulars vergleicht Felder mit eq, neq, in und is, verbunden durch &.',
  'compares "{column}", which is not a field before this one': 'vergleicht "{column}", und das ist kein Feld vor diesem',
  'There is no such form.': 'Dieses Formular gibt es nicht.',
  'A form with this name already exists.': 'Ein Formular mit diesem Namen gibt es bereits.',
  'The service user "Forms" is disabled or a viewer, so all forms are closed.':
    'Der Dienstbenutzer "Forms" ist gesperrt oder darf nur lesen, darum sind alle Formulare geschlossen.',
  'must be an https address': 'muss eine https-Adresse sein',
  'must be a number and a unit (s, m, h or d), such as 20/h': 'muss eine Anzahl mit einer Einheit (s, m, h oder d) sein, zum Beispiel 20/h',
  'must be an origin, such as https://www.example.org': 'muss eine Herkunft sein, zum Beispiel https://www.example.org',
  '{path}: {message}': '{path}: {message}',
  'The service user "Forms" may not create records of this table. Add "Forms" to a group of its own, and add a rule that lets this group create all.':
    'Der Dienstbenutzer "Forms" darf in dieser Tabelle keine Datensätze anlegen. Nehmen Sie "Forms" in eine eigene Gruppe auf, und fügen Sie eine Regel hinzu, die diese Gruppe alle anlegen lässt.',
  'A rule of access lets the service user "Forms" create only some records of this table, so answers may be refused. Add "Forms" to a group of its own, and add a rule that lets this group create all.':
    'Eine Zugriffsregel lässt den Dienstbenutzer "Forms" in dieser Tabelle nur manche Datensätze anlegen, darum werden vielleicht Antworten abgelehnt. Nehmen Sie "Forms" in eine eigene Gruppe auf, und fügen Sie eine Regel hinzu, die diese Gruppe alle anlegen lässt.',
  'This form cannot accept this answer at the moment.': 'Dieses Formular kann diese Antwort derzeit nicht annehmen.',
  'is already in the form': 'ist bereits im Formular',
  'must be true for a link: everybody who opens the form then sees the names of the linked records':
    'muss bei einer Verknüpfung true sein: Alle, die das Formular öffnen, sehen dann die Namen der verknüpften Datensätze',
  'links to records that the service user "Forms" may not read, or that have no name':
    'verweist auf Datensätze, die der Dienstbenutzer "Forms" nicht lesen darf oder die keinen Namen haben',
  'is only for attachment columns': 'ist nur für Spalten mit Dateien',
  'is only for columns that may be empty': 'ist nur für Spalten, die leer bleiben dürfen',
  'The column "{name}" is required, so the form needs a field for it.':
    'Die Spalte "{name}" ist erforderlich, darum braucht das Formular ein Feld dafür.',
  'cannot be filled in by a form': 'kann nicht durch ein Formular gefüllt werden',
  'may not be written by the service user "Forms"': 'darf vom Dienstbenutzer "Forms" nicht geschrieben werden',
  'cannot have a default': 'kann keinen Vorgabewert haben',
  'accepts at most {most} {most|file|files}': 'nimmt höchstens {most} {most|Datei|Dateien}',
  'This form is not open yet.': 'Dieses Formular ist noch nicht geöffnet.',
  'This form no longer accepts answers.': 'Dieses Formular nimmt keine Antworten mehr an.',
  'is missing or wrong: send a proof for the challenge of this form':
    'fehlt oder ist falsch: Senden Sie einen Nachweis für die Aufgabe dieses Formulars',
  'has expired: send a proof for a new challenge': 'ist abgelaufen: Senden Sie einen Nachweis für eine neue Aufgabe',
  'was used already: send a proof for a new challenge': 'wurde bereits verwendet: Senden Sie einen Nachweis für eine neue Aufgabe',
  'These values cannot be accepted.': 'Diese Werte können nicht angenommen werden.',
  'has a value that cannot be accepted': 'hat einen Wert, der nicht angenommen werden kann',
  'is not a field of this form': 'ist kein Feld dieses Formulars',
  'holds files: send the form as multipart/form-data': 'enthält Dateien: Senden Sie das Formular als multipart/form-data',
} as const
