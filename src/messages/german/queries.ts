/** The grammar of queries and its limits. */
export const queryMessages = {
  'A value in the order is too long for a cursor.': 'Ein Wert der Sortierung ist zu lang für einen Cursor.',
  'Order by a column with shorter values, or page with "offset", starting at offset=0.':
    'Sortieren Sie nach einer Spalte mit kürzeren Werten, oder blättern Sie mit "offset", beginnend mit offset=0.',
  'Send the nextCursor of the previous page unchanged.': 'Senden Sie den nextCursor der vorigen Seite unverändert.',
  'The cursor belongs to a list in another order or of another table.':
    'Der Cursor gehört zu einer Liste mit anderer Sortierung oder zu einer anderen Tabelle.',
  'The cursor cannot be read.': 'Der Cursor ist nicht lesbar.',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be from {least} to {most}': 'muss von {least} bis {most} reichen',
  'This request does not accept {names}.': 'Diese Anfrage nimmt {names} nicht.',
  'It accepts {known}.': 'Sie nimmt {known}.',
  'It accepts no parameters.': 'Sie nimmt keine Parameter.',
  'the end': 'das Ende',
  '"," or ")"': '"," oder ")"',
  '"." and an operator': '"." und ein Operator',
  'a language in the parentheses': 'eine Sprache in den Klammern',
  'an operator without a modifier, or (any) or (all) after one that accepts it':
    'ein Operator ohne Zusatz, oder (any) oder (all) nach einem, der es zulässt',
  'A filter is written column=operator.value, as in age=gte.18.': 'Ein Filter wird als spalte=operator.wert geschrieben, wie age=gte.18.',
  'an operator (eq, gt, in, is, like, …) and a dot': 'ein Operator (eq, gt, in, is, like, …) und ein Punkt',
  'Did you mean "{similar}"? {hint}': 'Meinten Sie "{similar}"? {hint}',
  'null, not_null, true, false or unknown': 'null, not_null, true, false oder unknown',
  'a list in parentheses': 'eine Liste in Klammern',
  'a name (in double quotes when it holds punctuation)': 'ein Name (in doppelten Anführungszeichen, wenn er Satzzeichen enthält)',
  'an index within the range of PostgreSQL': 'ein Index im Bereich von PostgreSQL',
  'a key or an index of the JSON value': 'ein Schlüssel oder ein Index des JSON-Werts',
  '"," or the end': '"," oder das Ende',
  '.asc, .desc, .nullsfirst, .nullslast, "," or the end': '.asc, .desc, .nullsfirst, .nullslast, "," oder das Ende',
  'The name of a query parameter {unreadable}': 'Der Name eines Parameters der Adresse {unreadable}',
  'The query is longer than {count} characters.': 'Die Abfrage ist länger als {count} Zeichen.',
  'contains a NUL or bytes that are not UTF-8.': 'enthält NUL oder Bytes, die kein UTF-8 sind.',
  'The query parameter "{name}" {message}': 'Der Parameter "{name}" {message}',
  'is one too many: a query has at most {parameters} parameters.': 'ist einer zu viel: eine Abfrage hat höchstens {parameters} Parameter.',
  '"." or "->" in the parameter’s name, or its end': '"." oder "->" im Namen des Parameters, oder sein Ende',
  'appears in the URL more than once.': 'kommt in der Adresse mehr als einmal vor.',
  'the nextCursor of the previous page': 'der nextCursor der vorigen Seite',
  'one of {choices}': 'eines von {choices}',
  'a whole number of at least 0': 'eine ganze Zahl ab 0',
  'exceeds the limit of {limit} {kind} per query.': 'überschreitet die Grenze von {limit} {kind} je Abfrage.',
  'is nested more than {depth} levels deep.': 'ist mehr als {depth} Ebenen tief verschachtelt.',
  'cannot be read at position {position}: expected {expected}.': 'ist an Stelle {position} nicht lesbar: erwartet wird {expected}.',
  'the name of a type': 'der Name eines Typs',
  'one of {aggregates}': 'eines von {aggregates}',
  '"(", since !inner or !left was already given': '"(", denn !inner oder !left ist bereits angegeben',
  '"(", since {expectedName} was already given': '"(", denn {expectedName} ist bereits angegeben',
  'Did you mean "{similar}"?': 'Meinten Sie "{similar}"?',
  'The table "{name}" has no column {displayName}.': 'Die Tabelle "{name}" hat keine Spalte {displayName}.',
  'The database does not let Rowhouse read the column "{column}" of "{name}".':
    'Die Datenbank lässt Rowhouse die Spalte "{column}" von "{name}" nicht lesen.',
  'Grant the role of DATABASE_URL the SELECT privilege on it.': 'Geben Sie der Rolle von DATABASE_URL das Recht, sie zu lesen.',
  'No foreign key joins "{name}" with {displayName}.': 'Kein Fremdschlüssel verbindet "{name}" mit {displayName}.',
  'No foreign key joins "{name}" with {relation} by {hint}.': 'Kein Fremdschlüssel verbindet "{name}" mit {relation} über {hint}.',
  'The foreign keys between them: {hinted}.': 'Die Fremdschlüssel zwischen beiden: {hinted}.',
  'Only tables that a foreign key joins can be embedded.': 'Nur Tabellen, die ein Fremdschlüssel verbindet, können eingebettet werden.',
  'More than one foreign key joins "{name}" with {displayName}.': 'Mehr als ein Fremdschlüssel verbindet "{name}" mit {displayName}.',
  'Specify one of them: {choices}.': 'Geben Sie an, welcher: {choices}.',
  '{displayName} is neither a column of "{name}" nor a table that "select" embeds.':
    '{displayName} ist weder eine Spalte von "{name}" noch eine Tabelle, die "select" einbettet.',
  'Add it to the select parameter: {parameter}.': 'Ergänzen Sie den Parameter select: {parameter}.',
  texts: 'Texte',
  'texts and tsvector': 'Texte und tsvector',
  'arrays, ranges and JSON': 'Arrays, Bereiche und JSON',
  'arrays and ranges': 'Arrays und Bereiche',
  ranges: 'Bereiche',
  'The operator "{operator}" of {quotedName} accepts neither "any" nor "all".':
    'Der Operator "{operator}" von {quotedName} nimmt weder "any" noch "all".',
  'The embedded {displayName} can only be tested for null.': 'Das eingebettete {displayName} kann nur auf null geprüft werden.',
  'Write is.null or not.is.null.': 'Schreiben Sie is.null oder not.is.null.',
  '"is" of {quotedName} accepts null, not_null, true, false or unknown.':
    '"is" von {quotedName} nimmt null, not_null, true, false oder unknown.',
  'The column {quotedName} is not boolean.': 'Die Spalte {quotedName} ist nicht boolesch.',
  'Only "is.null" and "is.not_null" work on every column.': 'Nur "is.null" und "is.not_null" gehen bei allen Spalten.',
  'The operator "{operator}" does not work on {quotedName}.': 'Der Operator "{operator}" geht bei {quotedName} nicht.',
  'It works on {what}.': 'Er geht bei: {what}.',
  'The list for {quotedName} is too long; at most {elements} values are allowed.':
    'Die Liste für {quotedName} ist zu lang; höchstens {elements} Werte sind erlaubt.',
  '"{quantifier}" does not work on the array {quotedName}.': '"{quantifier}" geht beim Array {quotedName} nicht.',
  'The value for {quotedName} {problem}.': 'Der Wert für {quotedName} {problem}.',
  'Only "in" accepts a list, for {quotedName}.': 'Nur "in" nimmt eine Liste, bei {quotedName}.',
  '{displayName} is embedded twice.': '{displayName} ist zweimal eingebettet.',
  'Give one of the two another name: other:name(…).': 'Geben Sie einem der beiden einen anderen Namen: anderer:name(…).',
  'The path into "{name}" has too many steps; at most {steps} are allowed.':
    'Der Pfad in "{name}" hat zu viele Schritte; höchstens {steps} sind erlaubt.',
  'The column "{name}" does not hold JSON, so "->" does not work on it.': 'Die Spalte "{name}" enthält kein JSON; "->" geht bei ihr nicht.',
  'Leave the "->" out.': 'Lassen Sie "->" weg.',
  'In the path into "{name}", "->>" is not the last arrow.': 'Im Pfad in "{name}" ist "->>" nicht der letzte Pfeil.',
  '"->>" returns text, so only the last arrow may be "->>".': '"->>" liefert Text; deshalb darf nur der letzte Pfeil "->>" sein.',
  'The query has {what}; at most {limit} are allowed.': 'Die Abfrage hat {what}; höchstens {limit} sind erlaubt.',
  'too many nested embeddings': 'zu viele ineinander verschachtelte Einbettungen',
  'too many embeddings': 'zu viele Einbettungen',
  'too many names to select': 'zu viele ausgewählte Namen',
  'too many nested "and" and "or"': 'zu viele ineinander verschachtelte "and" und "or"',
  'too many conditions': 'zu viele Bedingungen',
  'too many columns to order by': 'zu viele Spalten in der Sortierung',
  'one column too many times in "select"': 'eine Spalte zu oft in "select"',
  'Name it once; it is the same value each time.': 'Nennen Sie sie einmal; der Wert ist jedes Mal derselbe.',
  'A record of "{name}" can have several {displayName}, so "order" cannot use them.':
    'Ein Datensatz von "{name}" kann mehrere {displayName} haben; danach kann nicht sortiert werden.',
  'Order by embeddings that hold at most one record.': 'Sortieren Sie nach Einbettungen, die höchstens einen Datensatz enthalten.',
  'Groups of "{name}" cannot be ordered by {displayName}, which they do not have.':
    'Gruppen von "{name}" können nicht nach {displayName} sortiert werden, das sie nicht haben.',
  'Order by a selected column, or by the name of an aggregate.':
    'Sortieren Sie nach einer ausgewählten Spalte oder nach dem Namen eines Aggregats.',
  'The column "{name}" holds no numbers, so it has no {aggregate}.':
    'Die Spalte "{name}" enthält keine Zahlen und hat deshalb kein {aggregate}.',
  'A record can have several {displayName}, so their aggregates cannot be spread.':
    'Ein Datensatz kann mehrere {displayName} haben; ihre Aggregate können nicht ausgebreitet werden.',
  'Leave the "..." out.': 'Lassen Sie "..." weg.',
  'The name {displayName} for a column of the answer is too long or empty; at most {longestNameBytes} bytes are allowed.':
    'Der Name {displayName} für eine Spalte der Antwort ist zu lang oder leer; höchstens {longestNameBytes} Bytes sind erlaubt.',
  '"cursor" and "offset" cannot be used together.': '"cursor" und "offset" gehen nicht zusammen.',
  'An order by values that change with time has no cursor.':
    'Eine Sortierung nach Werten, die sich mit der Zeit ändern, hat keinen Cursor.',
  'Aggregates have no cursor.': 'Aggregate haben keinen Cursor.',
  'Page with "offset".': 'Blättern Sie mit "offset".',
  '"{name}" has no primary key that can be read, and so no cursor.':
    '"{name}" hat keinen Primärschlüssel, der gelesen werden kann, und deshalb keinen Cursor.',
  'The value of "q" contains a NUL, which text cannot hold.': 'Der Wert von "q" enthält ein NUL, das in keinem Text stehen darf.',
  'An embedding of one record has more than {mostEmbedded} rows.': 'Eine Einbettung in einem Datensatz hat mehr als {mostEmbedded} Zeilen.',
  'Limit or filter the embedding (author.limit=100), or read the embedded table itself.':
    'Begrenzen oder filtern Sie die Einbettung (author.limit=100), oder lesen Sie die eingebettete Tabelle selbst.',
  'The answer would be larger than {megabytes} MB.': 'Die Antwort wäre größer als {megabytes} MB.',
  'Ask for fewer records with "limit", or for fewer columns and embeddings with "select".':
    'Fragen Sie mit "limit" nach weniger Datensätzen oder mit "select" nach weniger Spalten und Einbettungen.',
  'There is no type {displayName} to cast to.': 'Den Typ {displayName} gibt es nicht.',
  'The answer would be larger than PostgreSQL can write.': 'Die Antwort wäre größer, als PostgreSQL schreiben kann.',
  'Ask for fewer with `limit`.': 'Fragen Sie mit `limit` nach weniger.',
  'The database cannot compute a value of this table.': 'Die Datenbank kann einen Wert dieser Tabelle nicht berechnen.',
  'A view, a function or a computed column fails; ask the administrator of the database.':
    'Eine Sicht, eine Funktion oder eine berechnete Spalte scheitert; fragen Sie die Administration der Datenbank.',
  'PostgreSQL cannot parse the regular expression for one of these columns: {asked}.':
    'PostgreSQL kann den regulären Ausdruck für eine dieser Spalten nicht lesen: {asked}.',
  'The pattern for one of these columns ends with a backslash that escapes nothing: {asked}.':
    'Das Muster für eine dieser Spalten endet mit einem Backslash, der nichts maskiert: {asked}.',
  'A value in the query does not fit the type of one of these columns: {asked}.':
    'Ein Wert der Abfrage passt nicht zum Typ einer dieser Spalten: {asked}.',
  'GET /api/v1/tables shows the types.': 'GET /api/v1/tables zeigt die Typen.',
  'PostgreSQL cannot parse the full text search of one of these columns: {asked}.':
    'PostgreSQL kann die Volltextsuche einer dieser Spalten nicht lesen: {asked}.',
  'The database does not have the search language, or the type of a cast, for one of these columns: {asked}.':
    'Die Datenbank hat die Sprache einer Suche oder den Typ einer Umwandlung für eine dieser Spalten nicht: {asked}.',
  'PostgreSQL has no such operation for the type of one of these columns: {asked}.':
    'PostgreSQL hat diese Operation für den Typ einer dieser Spalten nicht: {asked}.',
} as const
