/** Formulas. */
export const formulaMessages = {
  'names a column that is a formula itself, which PostgreSQL does not allow':
    'nennt eine Spalte, die selbst eine Formel ist; das erlaubt PostgreSQL nicht',
  'names a column whose values come from other tables': 'nennt eine Spalte, deren Werte aus anderen Tabellen kommen',
  'PostgreSQL cannot read the formula at character {position}.': 'PostgreSQL kann die Formel ab Zeichen {position} nicht lesen.',
  '{problem} (at character {position})': '{problem} (bei Zeichen {position})',
  'The formula {problem}': 'Die Formel {problem}',
  'The formula {problem}.': 'Die Formel {problem}.',
  'names a column that does not exist': 'nennt eine Spalte, die es nicht gibt',
  'names a column that does not exist; did you mean "{similar}"?': 'nennt eine Spalte, die es nicht gibt; meinten Sie "{similar}"?',
  'names a column that does not exist; did you mean {similar}, in double quotes?':
    'nennt eine Spalte, die es nicht gibt; meinten Sie {similar}, in doppelten Anführungszeichen?',
  'needs a constant replacement text in "{name}"': 'braucht in "{name}" eine Textkonstante als Ersatz',
  'may make a text more than {maxGrowthBytes} times as long with "{name}"':
    'kann einen Text mit "{name}" mehr als {maxGrowthBytes}-mal so lang machen',
  'uses something that is not allowed in a formula': 'verwendet etwas, das in einer Formel nicht erlaubt ist',
  'may name only columns of its own table, without the name of the table':
    'darf nur Spalten der eigenen Tabelle nennen, ohne den Namen der Tabelle',
  'calls a function in a way that is not allowed in a formula':
    'ruft eine Funktion auf eine Weise auf, die in einer Formel nicht erlaubt ist',
  'uses a function that is not allowed in a formula': 'verwendet eine Funktion, die in einer Formel nicht erlaubt ist',
  'uses a function that is not allowed in a formula; did you mean "{similar}"?':
    'verwendet eine Funktion, die in einer Formel nicht erlaubt ist; meinten Sie "{similar}"?',
  'uses an operator that is not allowed in a formula': 'verwendet einen Operator, der in einer Formel nicht erlaubt ist',
  'uses a constant that is not allowed in a formula': 'verwendet eine Konstante, die in einer Formel nicht erlaubt ist',
  'uses a number that is not written in digits': 'verwendet eine Zahl, die nicht in Ziffern geschrieben ist',
  'uses a type that is not allowed in a formula': 'verwendet einen Typ, der in einer Formel nicht erlaubt ist',
  'needs a constant length of at most {maxPaddedLength}': 'braucht für die Länge eine Konstante von höchstens {maxPaddedLength}',
  ...{
    'names a column that does not exist; did you mean {similar}?': 'nennt eine Spalte, die es nicht gibt; meinten Sie {similar}?',
    'names a column that has no values any more': 'nennt eine Spalte, die keine Werte mehr hat',
    'contains a control character': 'enthält ein Steuerzeichen',
    'names a formula that is computed from this one': 'nennt eine Formel, die aus dieser berechnet wird',
    'names a column with several values; SUM, AVERAGE, MIN, MAX, COUNTA, CONCAT and ARRAYJOIN make one of them':
      'nennt eine Spalte mit mehreren Werten; SUM, AVERAGE, MIN, MAX, COUNTA, CONCAT und ARRAYJOIN machen daraus einen',
    'names a column with several values, and it needs a single one': 'nennt eine Spalte mit mehreren Werten und braucht einen einzelnen',
    'calls {name} without parentheses': 'ruft {name} ohne Klammern auf',
    'uses the function {name}, which does not exist': 'verwendet die Funktion {name}, die es nicht gibt',
    'uses the function {name}, which does not exist; {similar} is similar':
      'verwendet die Funktion {name}, die es nicht gibt; {similar} ist ähnlich',
    'uses the function {name}, which does not exist; did you mean {similar}?':
      'verwendet die Funktion {name}, die es nicht gibt; meinten Sie {similar}?',
    'asks for the time of a record; add a column of the type createdAt or updatedAt, and use that':
      'fragt nach der Uhrzeit eines Datensatzes; legen Sie eine Spalte vom Typ createdAt oder updatedAt an und verwenden Sie diese',
    'gives "{name}" {count} {count|value|values}, but it takes {max}':
      'gibt "{name}" {count} {count|Wert|Werte}, die Funktion nimmt aber {max}',
    'gives "{name}" {count} {count|value|values}, but it takes {min} to {max}':
      'gibt "{name}" {count} {count|Wert|Werte}, die Funktion nimmt aber {min} bis {max}',
    'gives "{name}" {given}, but it takes {wanted}': 'hat für "{name}" den falschen Wert: {given}; nötig ist: {wanted}',
    'gives "{name}" a word that it does not know; it takes {known}': 'gibt "{name}" ein unbekanntes Wort; möglich sind {known}',
    'needs a text in quotation marks here for "{name}"': 'braucht hier für "{name}" einen Text in Anführungszeichen',
    'needs a whole number from 1 to {most} here for "{name}"': 'braucht hier für "{name}" eine ganze Zahl von 1 bis {most}',
    'needs a value after each condition of "{name}"': 'braucht bei "{name}" nach jeder Bedingung einen Wert',
    'names a time zone that does not exist; a zone is written as {example}':
      'nennt eine Zeitzone, die es nicht gibt; geschrieben wird sie wie {example}',
    'compares {one} with {other}': 'vergleicht zwei Werte verschiedener Art ({one}, {other})',
    'adds a text with +; & joins texts': 'fügt einen Text mit + an; Texte verbindet &',
    'ends in a value that a formula can only test with ISBLANK': 'ergibt einen Wert, den eine Formel nur mit ISBLANK prüfen kann',
    'computes a text from constants alone; write the result in its place':
      'berechnet einen Text nur aus Konstanten; schreiben Sie an dieser Stelle das Ergebnis',
    'cannot be computed for one of the first records': 'lässt sich für einen der ersten Datensätze nicht berechnen',
    'is too long': 'ist zu lang',
    'is too complex': 'ist zu umfangreich',
    'is nested too deeply': 'ist zu tief verschachtelt',
    'is incomplete': 'ist unvollständig',
    'has a comma that does not belong there; write decimals with a point: {example}':
      'enthält ein Komma, das dort nicht hingehört; schreiben Sie Dezimalzahlen mit einem Punkt: {example}',
    'has a "{sign}" that does not belong there': 'enthält ein "{sign}", das dort nicht hingehört',
    'lacks an operator or a comma; put names of several words in braces: {example}':
      'braucht einen Operator oder ein Komma; Namen aus mehreren Wörtern kommen in geschweifte Klammern: {example}',
    'has a name in braces without the closing brace': 'enthält einen Namen ohne die schließende geschweifte Klammer',
    'has a text without the closing quotation mark': 'enthält einen Text ohne das schließende Anführungszeichen',
    'has a typographic quotation mark; use "': 'enthält ein typografisches Anführungszeichen; nötig ist "',
    'has a number that cannot be read': 'enthält eine Zahl, die nicht lesbar ist',
    'has a character that does not belong there': 'enthält ein Zeichen, das dort nicht hingehört',
    'a number': 'eine Zahl',
    'a text': 'ein Text',
    'true or false': 'ein Wahrheitswert',
    'a date': 'ein Datum',
    'a date and time': 'ein Zeitpunkt',
    'a time': 'eine Uhrzeit',
    'several values': 'mehrere Werte',
    'an empty value': 'ein leerer Wert',
    'a value that is neither text, number nor date': 'ein Wert, der weder Text noch Zahl noch Datum ist',
  },
} as const
