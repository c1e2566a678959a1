/** The grammar of queries and its limits. */
export const queryMessages = {
  'A value in the order is too long to stand in a cursor.': 'Ein Wert der Sortierung ist zu lang für einen Cursor.',
  'Order by a column with shorter values, or page with "offset", beginning with offset=0.':
    'Sortieren Sie nach einer Spalte mit kürzeren Werten, oder blättern Sie mit "offset", beginnend mit offset=0.',
  'Send the nextCursor of the page before, unchanged.': 'Senden Sie den nextCursor der vorigen Seite unverändert.',
  'The cursor is of a list in another order or of another table.':
    'Der Cursor gehört zu einer Liste mit anderer Sortierung oder zu einer anderen Tabelle.',
  'The cursor cannot be read.': 'Der Cursor ist nicht lesbar.',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be from {least} to {most}': 'muss von {least} bis {most} reichen',
  'This request does not take {names}.': 'Diese Anfrage nimmt {names} nicht.',
  'It takes {known}.': 'Sie nimmt {known}.',
  'It takes no parameters.': 'Sie nimmt keine Parameter.',
  'the end': 'das Ende',
  '"," or ")"': '"," oder ")"',
  '"." and an operator': '"." und ein Operator',
  'a language in the parentheses': 'eine Sprache in den Klammern',
  'an operator without this, or (any) or (all) behind one that takes it':
    'ein Operator ohne diesen Zusatz, oder (any) oder (all) nach einem, der ihn nimmt',
  'A filter is written column=operator.value, as in age=gte.18.': 'Ein Filter wird als spalte=operator.wert geschrieben, wie age=gte.18.',
  'an operator (eq, gt, in, is, like, …) and a dot': 'ein Operator (eq, gt, in, is, like, …) und ein Punkt',
  'Did you mean "{similar}"? {hint}': 'Meinten Sie "{similar}"? {hint}',
  'null, not_null, true, false or unknown': 'null, not_null, true, false oder unknown',
  'a list in parentheses': 'eine Liste in Klammern',
  'a name (in double quotes when it holds punctuation)': 'ein Name (in doppelten Anführungszeichen, wenn er Satzzeichen enthält)',
  'an index that PostgreSQL can count to': 'ein Index, bis zu dem PostgreSQL zählen kann',
  'a key or an index of the JSON value': 'ein Schlüssel oder ein Index des JSON-Werts',
  '"," or the end': '"," oder das Ende',
  '.asc, .desc, .nullsfirst, .nullslast, "," or the end': '.asc, .desc, .nullsfirst, .nullslast, "," oder das Ende',
  'The name of a query parameter {unreadable}': 'Der Name eines Parameters der Adresse {unreadable}',
  'The query is longer than {count} characters.': 'Die Abfrage ist länger als {count} Zeichen.',
  'holds NUL, or bytes that are not UTF-8.': 'enthält NUL oder Bytes, die kein UTF-8 sind.',
  'The query parameter "{name}" {message}': 'Der Parameter "{name}" {message}',
  'is one too many: a query has at most {parameters} parameters.': 'ist einer zu viel: eine Abfrage hat höchstens {parameters} Parameter.',
  '"." or "->" in the parameter’s name, or its end': '"." oder "->" im Namen des Parameters, oder sein Ende',
  'stands in the address more than once.': 'steht mehr als einmal in der Adresse.',
  'the nextCursor of the page before': 'der nextCursor der vorigen Seite',
  'one of {choices}': 'eines von {choices}',
  'a whole number of at least 0': 'eine ganze Zahl ab 0',
  'goes beyond the {limit} {kind} that one query may have.': 'überschreitet die {limit} {kind}, die eine Abfrage haben darf.',
  'is nested more than {depth} levels deep.': 'ist mehr als {depth} Ebenen tief verschachtelt.',
  'cannot be read at position {position}: expected {expected}.': 'ist an Stelle {position} nicht lesbar: erwartet wird {expected}.',
  'the name of a type': 'der Name eines Typs',
  'one of {aggregates}': 'eines von {aggregates}',
  '"(", since !inner or !left stands there already': '"(", denn !inner oder !left steht bereits da',
  '"(", since {expectedName} stands there already': '"(", denn {expectedName} steht bereits da',
  'Did you mean "{similar}"?': 'Meinten Sie "{similar}"?',
  'The table "{name}" has no column {displayName}.': 'Die Tabelle "{name}" hat keine Spalte {displayName}.',
  'The database does not let Rowhouse read the column "{column}" of "{name}".':
    'Die Datenbank lässt Rowhouse die Spalte "{column}" von "{name}" nicht lesen.',
  'Grant the role of DATABASE_URL the right to select it.': 'Geben Sie der Rolle von DATABASE_URL das Recht, sie zu lesen.',
  'No foreign key joins "{name}" with {displayName}.': 'Kein Fremdschlüssel verbindet "{name}" mit {displayName}.',
  'No foreign key joins "{name}" with {relation} by {hint}.': 'Kein Fremdschlüssel verbindet "{name}" mit {relation} über {hint}.',
  'The foreign keys between them: {hinted}.': 'Die Fremdschlüssel zwischen beiden: {hinted}.',
  'Only tables that a foreign key joins can be embedded.': 'Nur Tabellen, die ein Fremdschlüssel verbindet, können eingebettet werden.',
  'More than one foreign key joins "{name}" with {displayName}.': 'Mehr als ein Fremdschlüssel verbindet "{name}" mit {displayName}.',
  'Say which one: {choices}.': 'Sagen Sie, welcher: {choices}.',
  '{displayName} is neither a column of "{name}" nor a table that "select" embeds.':
    '{displayName} ist weder eine Spalte von "{name}" noch eine Tabelle, die "select" einbettet.',
  'Add it to the select parameter: {parameter}.': 'Ergänzen Sie den Parameter select: {parameter}.',
  texts: 'Texte',
  'texts and tsvector': 'Texte und tsvector',
  'arrays, ranges and JSON': 'Arrays, Bereiche und JSON',
  'arrays and ranges': 'Arrays und Bereiche',
  ranges: 'Bereiche',
  'The operator "{operator}" of {quotedName} takes neither "any" nor "all".':
    'Der Operator "{operator}" von {quotedName} nimmt weder "any" noch "all".',
  'The embedded {displayName} can only be asked whether it is null.':
    'Beim eingebetteten {displayName} kann nur gefragt werden, ob es null ist.',
  'Write is.null or not.is.null.': 'Schreiben Sie is.null oder not.is.null.',
  '"is" of {quotedName} takes null, not_null, true, false or unknown.':
    '"is" von {quotedName} nimmt null, not_null, true, false oder unknown.',
  'The column {quotedName} is neither true nor false.': 'Die Spalte {quotedName} ist weder wahr noch falsch.',
  'Only a boolean column is; "is.null" works on all.': 'Das kann nur eine boolesche Spalte; "is.null" geht bei allen.',
  'The operator "{operator}" does not work on {quotedName}.': 'Der Operator "{operator}" geht bei {quotedName} nicht.',
  'It works on {what}.': 'Er geht bei: {what}.',
  'The list for {quotedName} is too long; at most {elements} values are allowed.':
    'Die Liste für {quotedName} ist zu lang; höchstens {elements} Werte sind erlaubt.',
  '"{quantifier}" does not work on the array {quotedName}.': '"{quantifier}" geht beim Array {quotedName} nicht.',
  'The value for {quotedName} {problem}.': 'Der Wert für {quotedName} {problem}.',
  'Only "in" takes a list, for {quotedName}.': 'Nur "in" nimmt eine Liste, bei {quotedName}.',
  '{displayName} is embedded twice.': '{displayName} ist zweimal eingebettet.',
  'Give one of the two another name: other:name(…).': 'Geben Sie einem der beiden einen anderen Namen: anderer:name(…).',
  'The path into "{name}" has too many steps; at most {steps} are allowed.':
    'Der Pfad in "{name}" hat zu viele Schritte; höchstens {steps} sind erlaubt.',
  'The column "{name}" holds no JSON, so nothing in it can be reached by "->".':
    'Die Spalte "{name}" enthält kein JSON; mit "->" ist darin nichts zu erreichen.',
  'Leave the "->" out.': 'Lassen Sie "->" weg.',
  'In the path into "{name}" a "->>" stands before the end.': 'Im Pfad in "{name}" steht "->>" vor dem Ende.',
  'It gives text: only the last arrow may be "->>".': 'Es liefert Text: nur der letzte Pfeil darf "->>" sein.',
  'The query has {what}; at most {limit} are allowed.': 'Die Abfrage hat {what}; höchstens {limit} sind erlaubt.',
  'too many embeddings inside one another': 'zu viele ineinander verschachtelte Einbettungen',
  'too many embeddings': 'zu viele Einbettungen',
  'too many names to select': 'zu viele ausgewählte Namen',
  'too many "and" and "or" inside one another': 'zu viele ineinander verschachtelte "and" und "or"',
  'too many conditions': 'zu viele Bedingungen',
  'too many columns to order by': 'zu viele Spalten in der Sortierung',
  'one column too many times in "select"': 'eine Spalte zu oft in "select"',
  'Name it once; it is the same value each time.': 'Nennen Sie sie einmal; der Wert ist jedes Mal derselbe.',
  'Records of "{name}" have many {displayName}, so these cannot order them.':
    'Datensätze von "{name}" haben mehrere {displayName}; danach kann nicht sortiert werden.',
  'Only what is embedded to one can.': 'Das geht nur nach Eingebettetem, von dem es höchstens eines gibt.',
  'Groups of "{name}" cannot be ordered by {displayName}, which they do not have.':
    'Gruppen von "{name}" können nicht nach {displayName} sortiert werden, das sie nicht haben.',
  'Order by a selected column, or by the name of an aggregate.':
    'Sortieren Sie nach einer ausgewählten Spalte oder nach dem Namen eines Aggregats.',
  'The column "{name}" holds no numbers, so it has no {aggregate}.':
    'Die Spalte "{name}" enthält keine Zahlen und hat deshalb kein {aggregate}.',
  '{displayName} are many, so their aggregates cannot be spread.':
    '{displayName} sind mehrere; ihre Aggregate können nicht ausgebreitet werden.',
  'Leave the "..." out.': 'Lassen Sie "..." weg.',
  'The name {displayName} for a column of the answer is too long or empty; at most {longestNameBytes} bytes are allowed.':
    'Der Name {displayName} für eine Spalte der Antwort ist zu lang oder leer; höchstens {longestNameBytes} Bytes sind erlaubt.',
  '"cursor" and "offset" cannot be used together.': '"cursor" und "offset" gehen nicht zusammen.',
  'Aggregates have no cursor.': 'Aggregate haben keinen Cursor.',
  'Page with "offset".': 'Blättern Sie mit "offset".',
  '"{name}" has no primary key, and so no cursor.': '"{name}" hat keinen Primärschlüssel und deshalb keinen Cursor.',
  'The value of "q" holds a NUL, which no text may.': 'Der Wert von "q" enthält ein NUL, das in keinem Text stehen darf.',
  'What is embedded in one record has more than {mostEmbedded} rows.':
    'Was in einen Datensatz eingebettet ist, hat mehr als {mostEmbedded} Zeilen.',
  'Ask for fewer with a limit or a filter of the embedding (author.limit=100), or read that table itself.':
    'Fragen Sie mit einem Limit oder Filter der Einbettung nach weniger (author.limit=100), oder lesen Sie jene Tabelle selbst.',
  'The answer would be larger than {megabytes} MB.': 'Die Antwort wäre größer als {megabytes} MB.',
  'Ask for fewer records with "limit", or for fewer columns and embeddings with "select".':
    'Fragen Sie mit "limit" nach weniger Datensätzen oder mit "select" nach weniger Spalten und Einbettungen.',
  'There is no type {displayName} to cast to.': 'Den Typ {displayName} gibt es nicht.',
  'The answer would be larger than PostgreSQL can write.': 'Die Antwort wäre größer, als PostgreSQL schreiben kann.',
  'Ask for fewer with `limit`.': 'Fragen Sie mit `limit` nach weniger.',
  'The database cannot work out a value of this table.': 'Die Datenbank kann einen Wert dieser Tabelle nicht berechnen.',
  'A view, a function or a computed column decides; ask who keeps the database.':
    'Eine Sicht, eine Funktion oder eine berechnete Spalte ist der Grund; fragen Sie die Administration der Datenbank.',
  'PostgreSQL cannot read the regular expression for a column: one of {asked}.':
    'PostgreSQL kann den regulären Ausdruck für eine Spalte nicht lesen: eine von {asked}.',
  'A pattern ends with a backslash, which escapes nothing: for one of {asked}.':
    'Ein Muster endet mit einem Backslash, der nichts maskiert: bei einer von {asked}.',
  'A value in the query does not fit the type of its column: one of {asked}.':
    'Ein Wert der Abfrage passt nicht zum Typ seiner Spalte: eine von {asked}.',
  'GET /api/v1/tables shows the types.': 'GET /api/v1/tables zeigt die Typen.',
  'A full text search cannot be read: of one of {asked}.': 'Eine Volltextsuche ist nicht lesbar: bei einer von {asked}.',
  'The database has no such language for a search, or no such type to cast to: for one of {asked}.':
    'Die Datenbank hat diese Sprache für eine Suche oder diesen Typ nicht: bei einer von {asked}.',
  'PostgreSQL has no such operation for the type of a column: of one of {asked}.':
    'PostgreSQL hat diese Operation für den Typ einer Spalte nicht: bei einer von {asked}.',
} as const
