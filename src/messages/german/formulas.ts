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
} as const
