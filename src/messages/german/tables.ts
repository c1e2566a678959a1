/** Definitions of tables and columns. */
export const tableMessages = {
  'The table is being changed in the database right now.': 'Die Tabelle wird gerade in der Datenbank geändert.',
  'There is no such table.': 'Diese Tabelle gibt es nicht.',
  'GET /api/v1/tables lists the tables.': 'GET /api/v1/tables listet die Tabellen auf.',
  '"{name}" is not a link to records that can be read.': '"{name}" ist keine Verknüpfung zu lesbaren Datensätzen.',
  'It reads too many other computed columns; use fewer conditions on them.':
    'Sie liest zu viele andere berechnete Spalten; verwenden Sie weniger Bedingungen darauf.',
  'Files and links to several records have no single value to read.':
    'Dateien und Verknüpfungen zu mehreren Datensätzen haben keinen einzelnen Wert.',
  '"{name}" has no smallest or largest value.': '"{name}" hat keinen kleinsten oder größten Wert.',
  '"{column}" holds no numbers, so it has no sum.': '"{column}" enthält keine Zahlen und hat deshalb keine Summe.',
  '"{column}" holds no numbers, so it has no average.': '"{column}" enthält keine Zahlen und hat deshalb keinen Durchschnitt.',
  'The filter on "{columnName}" {message}.': 'Der Filter auf "{columnName}" {message}.',
  'compares links to several records, which have no single value':
    'vergleicht Verknüpfungen zu mehreren Datensätzen, die keinen einzelnen Wert haben',
  'was made for another type of the column': 'wurde für einen anderen Typ der Spalte gemacht',
  'has a value that is not text': 'hat einen Wert, der kein Text ist',
  'would keep the day on which PostgreSQL reads a word such as "today"; use a formula with TODAY() instead':
    'behielte den Tag, an dem PostgreSQL ein Wort wie "today" liest; verwenden Sie stattdessen eine Formel mit TODAY()',
  'accepts null, not_null, true or false for "is"': 'nimmt bei "is" null, not_null, true oder false',
  'tests a value for true or false that is not boolean': 'prüft einen Wert auf wahr oder falsch, der kein Wahrheitswert ist',
  'needs an array of values for "in"': 'nimmt bei "in" ein Array von Werten',
  'accepts an array of values for "in" only': 'nimmt nur bei "in" ein Array von Werten',
  'ends with a backslash, which escapes nothing': 'endet mit einem Backslash, der nichts maskiert',
  'The table with the link does not exist or cannot be read.': 'Die Tabelle mit der Verknüpfung gibt es nicht, oder sie ist nicht lesbar.',
  '"{name}" no longer has the link.': '"{name}" hat die Verknüpfung nicht mehr.',
  'The key of "{name}" is not a single column, so no link can point to its records.':
    'Der Schlüssel von "{name}" ist nicht eine einzelne Spalte; auf ihre Datensätze kann keine Verknüpfung verweisen.',
  '"{table}"."{column}" is not a link to this table.': '"{table}"."{column}" ist keine Verknüpfung zu dieser Tabelle.',
  '{message} {hint}': '{message} {hint}',
  'It reads its own value through other columns.': 'Sie liest über andere Spalten ihren eigenen Wert.',
  '"{name}" no longer has the column that it reads.': '"{name}" hat die Spalte nicht mehr, die sie liest.',
  '"{table}"."{column}" has no values: {problem}': '"{table}"."{column}" hat keine Werte: {problem}',
  'The column "{column}" of "{table}" cannot be read.': 'Die Spalte "{column}" von "{table}" ist nicht lesbar.',
  'It has no SQL; save the formula again.': 'Sie hat kein SQL; speichern Sie die Formel noch einmal.',
  'A formula cannot read "{name}", whose values are lists of their own.':
    'Eine Formel kann „{name}“ nicht lesen: Die Werte sind selbst Listen.',
  'The formula was made for another type of "{name}".': 'Die Formel wurde für einen anderen Typ von „{name}“ geschrieben.',
  'Its texts may become too long through the formulas that it uses.':
    'Ihre Texte können durch die Formeln, die sie verwendet, zu lang werden.',
  'Its SQL is too long to be computed at each read; use a shorter formula, or fewer computed columns.':
    'Ihr SQL ist zu lang, um bei jedem Lesen berechnet zu werden; kürzen Sie die Formel, oder verwenden Sie weniger berechnete Spalten.',
  'More than {maxDepth} computed columns depend on one another.': 'Mehr als {maxDepth} berechnete Spalten hängen voneinander ab.',
  'Choices can be renamed only in a column that has choices and keeps its type.':
    'Auswahlwerte können nur in einer Spalte umbenannt werden, die eine Auswahl hat und ihren Typ behält.',
  'The column has no such choice.': 'Diesen Auswahlwert hat die Spalte nicht.',
  'Two choices cannot get the same name.': 'Zwei Auswahlwerte können nicht denselben Namen bekommen.',
  'The new name is not among the choices that are sent.': 'Der neue Name steht nicht unter den gesendeten Auswahlwerten.',
  'The old name is still among the choices that are sent.': 'Der alte Name steht noch unter den gesendeten Auswahlwerten.',
  'The choice {choice} cannot be renamed: the {subject} names it.':
    'Der Auswahlwert {choice} kann nicht umbenannt werden: {subject} nennt ihn.',
  'is named by the {subject}': 'wird genannt von: {subject}',
  'Change the {subject} first, or rename other choices of "{column}" only.':
    'Ändern Sie zuerst {subject}, oder benennen Sie nur andere Auswahlwerte von "{column}" um.',
  'The column cannot change its type, since the {subject} compares its values.':
    'Die Spalte kann ihren Typ nicht ändern, denn ihre Werte werden verglichen von: {subject}.',
  'is compared by the {subject}': 'wird verglichen von: {subject}',
  'Change the {subject} first.': 'Ändern Sie zuerst {subject}.',
  'has no counterpart': 'hat keine Entsprechung',
  'does not fit': 'passt nicht',
  'is required and has no value': 'ist Pflicht und hat keinen Wert',
  'Values of the type {type} cannot be copied.': 'Werte des Typs {type} können nicht kopiert werden.',
  'The column has another type.': 'Die Spalte hat einen anderen Typ.',
  'The column links to another table.': 'Die Spalte verweist auf eine andere Tabelle.',
  'The database generates this key; it cannot be changed.': 'Diesen Schlüssel erzeugt die Datenbank; er kann nicht geändert werden.',
  'cannot be changed': 'kann nicht geändert werden',
  'The column is part of the key, and URLs and links contain its values: its type cannot change.':
    'Die Spalte gehört zum Schlüssel, und Adressen und Verknüpfungen enthalten ihre Werte: Ihr Typ kann nicht geändert werden.',
  'A column of the type {type} cannot be changed to these options.': 'Eine Spalte des Typs {type} kann diese Optionen nicht bekommen.',
  'A column of the type {type} cannot be converted to the type {wanted}.':
    'Eine Spalte des Typs {type} kann nicht in den Typ {wanted} umgewandelt werden.',
  'Add a new column, and delete this one when it is no longer needed.':
    'Fügen Sie eine neue Spalte hinzu, und löschen Sie diese, wenn sie nicht mehr gebraucht wird.',
  'This name is taken by another column.': 'Diesen Namen hat eine andere Spalte.',
  'The database generates the values of this column.': 'Die Werte dieser Spalte erzeugt die Datenbank.',
  'The database already generates this key.': 'Die Datenbank erzeugt diesen Schlüssel bereits.',
  'A column of the key always has a value.': 'Eine Spalte des Schlüssels hat immer einen Wert.',
  'The column is required, so its values cannot be set to null; send required: false as well.':
    'Die Spalte ist Pflicht; ihre Werte können nicht geleert werden. Senden Sie auch required: false.',
  'The description {problem}.': 'Die Beschreibung {problem}.',
  '{type} has no such option; did you mean "{similar}"?': '{type} hat diese Option nicht; meinten Sie "{similar}"?',
  '{type} has no such option; it has {names}.': '{type} hat diese Option nicht; es gibt {names}.',
  '{type} has no options.': '{type} hat keine Optionen.',
  'A column of the type {type} cannot be required.': 'Eine Spalte des Typs {type} kann nicht Pflicht sein.',
  'A column of the type {type} always has a value.': 'Eine Spalte des Typs {type} hat immer einen Wert.',
  'A column of the type {type} cannot be unique.': 'Eine Spalte des Typs {type} kann nicht eindeutig sein.',
  'A column of the type {type} cannot have a default.': 'Eine Spalte des Typs {type} kann keinen Standardwert haben.',
  'The default {problem}.': 'Der Standardwert {problem}.',
  'holds a number that is too large': 'enthält eine zu große Zahl',
  'The table already has a column with this name.': 'Die Tabelle hat bereits eine Spalte mit diesem Namen.',
  'is taken': 'ist vergeben',
  'A computed column cannot be given values.': 'Einer berechneten Spalte können keine Werte gegeben werden.',
  'The column is part of the key, which the URLs of the records contain.':
    'Die Spalte gehört zum Schlüssel, der in den Adressen der Datensätze steht.',
  'be deleted': 'nicht gelöscht werden',
  'change its type': 'ihren Typ nicht ändern',
  'An index that Rowhouse did not create keeps the values unique.': 'Ein Index, den nicht Rowhouse angelegt hat, hält die Werte eindeutig.',
  'Drop the index in the database.': 'Löschen Sie den Index in der Datenbank.',
  'The column cannot {what}, since a formula uses it: "{formulas}".':
    'Die Spalte kann {what}, denn eine Formel verwendet sie: "{formulas}".',
  'Change or delete the formula first.': 'Ändern oder löschen Sie zuerst die Formel.',
  'Choices that records still have cannot be removed: {named}.':
    'Auswahlwerte, die Datensätze noch haben, können nicht entfernt werden: {named}.',
  'leaves out choices that are in use': 'lässt Auswahlwerte weg, die verwendet werden',
  'Change these records first, or send "onFailure": "null" to empty them.':
    'Ändern Sie zuerst diese Datensätze, oder senden Sie "onFailure": "null", um sie zu leeren.',
  'One value does not fit the changed column. Nothing was changed.':
    'Ein Wert passt nicht in die geänderte Spalte. Es wurde nichts geändert.',
  '{count} values do not fit the changed column. Nothing was changed.':
    '{count} Werte passen nicht in die geänderte Spalte. Es wurde nichts geändert.',
  'Send ?dryRun=true to check first, or "onFailure": "null" to empty the values that do not fit.':
    'Senden Sie ?dryRun=true, um es vorher zu prüfen, oder "onFailure": "null", um zu leeren, was nicht passt.',
  'The column has more than {mostFoundChoices} different values; send the list of choices.':
    'Die Spalte hat mehr als {mostFoundChoices} verschiedene Werte; senden Sie die Liste der Auswahlwerte.',
  'Some values are too long for a choice; send the list of choices.':
    'Einige Werte sind zu lang für einen Auswahlwert; senden Sie die Liste der Auswahlwerte.',
  'The current default no longer fits; send another one, or null.':
    'Der bisherige Standardwert passt nicht mehr; senden Sie einen anderen oder null.',
  'The name is taken in the database.': 'Der Name ist in der Datenbank vergeben.',
  'The name "{name}" is taken in the database.': 'Der Name "{name}" ist in der Datenbank vergeben.',
  'Something else in the database depends on this.': 'Etwas anderes in der Datenbank hängt davon ab.',
  'It is a view, a foreign key or a function that was created outside Rowhouse: remove it there first.':
    'Es ist eine Sicht, ein Fremdschlüssel oder eine Funktion, außerhalb von Rowhouse angelegt: Entfernen Sie das zuerst dort.',
  'A view, a rule or a generated column in the database depends on this column’s type.':
    'Eine Sicht, eine Regel oder eine berechnete Spalte der Datenbank hängt vom Typ dieser Spalte ab.',
  'Remove the dependent objects there first.': 'Entfernen Sie zuerst dort die abhängigen Objekte.',
  'The table was just altered outside Rowhouse.': 'Die Tabelle wurde gerade außerhalb von Rowhouse geändert.',
  'Read the table again, and retry.': 'Lesen Sie die Tabelle neu, und versuchen Sie es erneut.',
  'Rowhouse does not have the database privileges to do this.': 'Rowhouse hat in der Datenbank nicht die Rechte dazu.',
  'The search cannot have an index: the database lacks the extension pg_trgm, or Rowhouse may not use it.':
    'Die Suche kann keinen Index haben: Der Datenbank fehlt die Erweiterung pg_trgm, oder Rowhouse darf sie nicht verwenden.',
  'The search cannot have an index: the key of the table has several columns.':
    'Die Suche kann keinen Index haben: Der Schlüssel der Tabelle hat mehrere Spalten.',
  'Let a superuser run: {statement}': 'Lassen Sie einen Superuser ausführen: {statement}',
  'Grant the role of DATABASE_URL the privileges on the schema and its tables, or make it their owner.':
    'Geben Sie der Rolle von DATABASE_URL die Rechte am Schema und seinen Tabellen, oder machen Sie sie zur Eigentümerin.',
  'PostgreSQL lets no link lead to this table: it is unlogged, or its key is deferrable.':
    'PostgreSQL lässt keine Verknüpfung auf diese Tabelle zu: Sie ist UNLOGGED, oder ihr Schlüssel ist DEFERRABLE.',
  'PostgreSQL has no room for more columns in this table.': 'PostgreSQL hat in dieser Tabelle keinen Platz für weitere Spalten.',
  'Dropped columns count, too.': 'Gelöschte Spalten zählen dabei mit.',
  'Several records have the same value in this column.': 'Mehrere Datensätze haben in dieser Spalte denselben Wert.',
  'One address in "{name}" has several records if upper and lower case are ignored: "{one}" and "{other}".':
    'Eine Adresse in "{name}" hat ohne Unterscheidung von Groß- und Kleinschreibung mehrere Datensätze: "{one}" und "{other}".',
  '{count} addresses in "{name}" have several records if upper and lower case are ignored, for example "{one}" and "{other}".':
    '{count} Adressen in "{name}" haben ohne Unterscheidung von Groß- und Kleinschreibung mehrere Datensätze, zum Beispiel "{one}" und "{other}".',
  'Change these records first, or send "ignoreCase": false among the options.':
    'Ändern Sie zuerst diese Datensätze, oder senden Sie in den Optionen "ignoreCase": false.',
  'is not unique among the records': 'ist unter den Datensätzen nicht eindeutig',
  'Some records have no value in {column}.': 'Einige Datensätze haben keinen Wert in {column}.',
  'some records have no value': 'einige Datensätze haben keinen Wert',
  'Fill in the values first.': 'Füllen Sie die Werte zuerst aus.',
  'Give the column a default, or fill in the values first.':
    'Geben Sie der Spalte einen Standardwert, oder füllen Sie die Werte zuerst aus.',
  'Some records do not fit.': 'Einige Datensätze passen nicht.',
  'some records do not fit': 'einige Datensätze passen nicht',
  'Some records point to records that do not exist.': 'Einige Datensätze verweisen auf Datensätze, die es nicht gibt.',
  'some records have no counterpart': 'einige Datensätze haben keine Entsprechung',
  'Some records do not fit: a value is out of range or of another kind.':
    'Einige Datensätze passen nicht: ein Wert liegt außerhalb des Bereichs oder ist von anderer Art.',
  'A value is too long for a key or a unique column.': 'Ein Wert ist zu lang für einen Schlüssel oder eine eindeutige Spalte.',
  'some values are too long': 'einige Werte sind zu lang',
  'The formula returns values of a type that no column has; end it with a cast, such as ::text.':
    'Die Formel liefert Werte eines Typs, den keine Spalte hat; beenden Sie sie mit einer Umwandlung, wie ::text.',
  'A function or an operator of the formula does not take values of these types; casts may help.':
    'Eine Funktion oder ein Operator der Formel nimmt keine Werte dieser Typen; Umwandlungen können helfen.',
  'The formula always fails: a constant is not of its type, or it divides by zero.':
    'Die Formel scheitert immer: eine Konstante passt nicht zu ihrem Typ, oder sie teilt durch null.',
  "The formula depends on more than the record: on a setting such as the time zone or language. Name the time zone, as in (moment at time zone 'UTC'), or split numbers and dates with extract.":
    "Die Formel hängt von mehr als dem Datensatz ab: von einer Einstellung wie Zeitzone oder Sprache. Nennen Sie die Zeitzone, wie (moment at time zone 'UTC'), oder zerlegen Sie Zahlen und Tage mit extract.",
  'This table has no primary key, so nothing can point to its records.':
    'Diese Tabelle hat keinen Primärschlüssel; auf ihre Datensätze kann nichts verweisen.',
  'The key of this table has several columns; a link can point to a key of one column only.':
    'Der Schlüssel dieser Tabelle hat mehrere Spalten; eine Verknüpfung kann nur auf einen Schlüssel mit einer Spalte verweisen.',
  'The table to link to does not exist.': 'Die Tabelle, auf die verwiesen werden soll, gibt es nicht.',
  'The table to link to does not exist; did you mean "{similar}"?':
    'Die Tabelle, auf die verwiesen werden soll, gibt es nicht; meinten Sie "{similar}"?',
  'The name {problem}.': 'Der Name {problem}.',
  'A name has at most {maxNameBytes} bytes in UTF-8.': 'Ein Name hat höchstens {maxNameBytes} Bytes in UTF-8.',
  'A name needs a visible character.': 'Ein Name braucht ein sichtbares Zeichen.',
  'A section needs at least one visible character, and no control characters.':
    'Ein Abschnitt braucht mindestens ein sichtbares Zeichen und darf keine Steuerzeichen enthalten.',
  'No URL could name this table; choose another name.': 'Keine Adresse könnte diese Tabelle nennen; wählen Sie einen anderen Namen.',
  'A table’s name may not be a UUID, since tables are also addressed by their ids.':
    'Der Name einer Tabelle darf keine UUID sein, denn Tabellen werden auch mit ihrer ID angesprochen.',
  'PostgreSQL reserves this name.': 'Diesen Namen reserviert PostgreSQL für sich.',
  'The default does not match the pattern.': 'Der Standardwert passt nicht zum Muster.',
  'PostgreSQL cannot read this as a regular expression.': 'PostgreSQL kann das nicht als regulären Ausdruck lesen.',
  'Too many changes of tables are already waiting.': 'Es warten bereits zu viele Änderungen von Tabellen.',
  'A long-running operation is using the table. Nothing was changed.':
    'Ein lang laufender Vorgang verwendet die Tabelle. Es wurde nichts geändert.',
  'There is no such column.': 'Diese Spalte gibt es nicht.',
  'Values of the type {type} cannot name a record.': 'Werte des Typs {type} können keinen Datensatz benennen.',
  'Deleting a table deletes its records; confirm with the table’s name.':
    'Mit einer Tabelle werden ihre Datensätze gelöscht; bestätigen Sie das mit dem Namen der Tabelle.',
  'Deleting a column deletes its values; confirm with the column’s name.':
    'Mit einer Spalte werden ihre Werte gelöscht; bestätigen Sie das mit dem Namen der Spalte.',
  'Add {parameter} to the URL.': 'Ergänzen Sie die Adresse um {parameter}.',
  'is not the name': 'ist nicht der Name',
  'Other tables link to this one: {columns}.': 'Andere Tabellen verweisen auf diese: {columns}.',
  'Delete these columns first.': 'Löschen Sie zuerst diese Spalten.',
  'This table holds the values of a manyLinks column; change or delete that column.':
    'Diese Tabelle enthält die Werte einer Spalte des Typs manyLinks; ändern oder löschen Sie jene Spalte.',
  'Rowhouse did not create this table, so its definition cannot be changed here.':
    'Diese Tabelle hat nicht Rowhouse angelegt; ihre Definition kann hier nicht geändert werden.',
  'Change it in the database; Rowhouse shows it as it is there.':
    'Ändern Sie sie in der Datenbank; Rowhouse zeigt sie so, wie sie dort ist.',
  'GET the table to list its columns.': 'Ein GET der Tabelle listet ihre Spalten auf.',
  'The table was just deleted.': 'Die Tabelle wurde gerade gelöscht.',
  'A table named "{name}" already exists.': 'Eine Tabelle "{name}" gibt es bereits.',
  'A column that is required cannot be set to null; use restrict or cascade.':
    'Eine Pflichtspalte kann nicht geleert werden; verwenden Sie restrict oder cascade.',
  'Create the table first, then add a column of the type {type}.':
    'Legen Sie zuerst die Tabelle an, und fügen Sie dann eine Spalte des Typs {type} hinzu.',
  'There is no column with this name.': 'Eine Spalte mit diesem Namen gibt es nicht.',
  'This column is already in the key.': 'Diese Spalte ist bereits im Schlüssel.',
  'A column of the type {type} cannot be part of a key.': 'Eine Spalte des Typs {type} kann nicht zu einem Schlüssel gehören.',
  'be changed in this way': 'nicht so geändert werden',
  '"{name}" is not a link to records.': '"{name}" ist keine Verknüpfung zu Datensätzen.',
  'There is no such table; did you mean "{similar}"?': 'Diese Tabelle gibt es nicht; meinten Sie "{similar}"?',
  'There is no such column; did you mean "{similar}"?': 'Diese Spalte gibt es nicht; meinten Sie "{similar}"?',
  'A value does not fit the type of its column.': 'Ein Wert passt nicht zum Typ seiner Spalte.',
  'It cannot {what}, since other columns read it: {columns}.': 'Das kann {what}, denn andere Spalten lesen es: {columns}.',
  'Change or delete these columns first.': 'Ändern oder löschen Sie zuerst diese Spalten.',
  'There is no such schema.': 'Dieses Schema gibt es nicht.',
  'Only texts that become links can create records.': 'Nur Texte, die zu Verknüpfungen werden, können Datensätze anlegen.',
  'Records that were created in "{name}" are not found by their names. Nothing was changed.':
    'Datensätze, die in "{name}" angelegt wurden, werden unter ihren Namen nicht gefunden. Nichts wurde geändert.',
  'a trigger of the linked table changes some names': 'ein Trigger der verknüpften Tabelle ändert manche Namen',
  'The table "{name}" does not accept records with only a name. Nothing was changed.':
    'Die Tabelle "{name}" nimmt keine Datensätze an, die nur einen Namen haben. Es wurde nichts geändert.',
  'cannot be done': 'ist nicht möglich',
  'Rowhouse may not create records in "{name}".': 'Rowhouse darf in "{name}" keine Datensätze anlegen.',
  'No records can be created in "{name}": they are not named by a text column that can be written.':
    'In "{name}" können keine Datensätze angelegt werden: Sie werden nicht durch eine beschreibbare Textspalte benannt.',
  'No records can be created in "{name}": the database does not generate their keys.':
    'In "{name}" können keine Datensätze angelegt werden: Die Datenbank erzeugt ihre Schlüssel nicht.',
  'No records can be created in "{name}": they need a value in {columns}.':
    'In "{name}" können keine Datensätze angelegt werden: Sie brauchen einen Wert in {columns}.',
  'a rule of the linked table refuses "{name}"': 'eine Regel der verknüpften Tabelle lehnt "{name}" ab',
  'is neither the name nor the key of a record there': 'ist dort weder der Name noch der Schlüssel eines Datensatzes',
  'is the name of several records there': 'ist dort der Name mehrerer Datensätze',
  'There is no such view.': 'Diese Ansicht gibt es nicht.',
  'GET /api/v1/tables/{table}/views lists the views.': 'GET /api/v1/tables/{table}/views listet die Ansichten auf.',
  'Somebody has changed this view since you opened it.': 'Jemand hat diese Ansicht geändert, seit Sie sie geöffnet haben.',
  'Open the view again and repeat your changes, or save them as another view.':
    'Öffnen Sie die Ansicht erneut und wiederholen Sie Ihre Änderungen, oder speichern Sie sie als andere Ansicht.',
  'There is already a view with the name "{name}".': 'Es gibt schon eine Ansicht mit dem Namen "{name}".',
  'The table has {maxNamedViews} views already; delete one that is no longer needed.':
    'Die Tabelle hat bereits {maxNamedViews} Ansichten; löschen Sie eine, die nicht mehr gebraucht wird.',
  'This view uses columns that you may not read; save a view of your own instead.':
    'Diese Ansicht verwendet Spalten, die Sie nicht lesen dürfen; speichern Sie stattdessen eine eigene Ansicht.',
  'The name of a view needs at least one visible character, and no control characters.':
    'Der Name einer Ansicht braucht mindestens ein sichtbares Zeichen und darf keine Steuerzeichen enthalten.',
  'The object {problem}.': 'Das Objekt {problem}.',
} as const
