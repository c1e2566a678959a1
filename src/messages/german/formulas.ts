/** Formulas. */
export const formulaMessages = {
  'names a column that is a formula itself, which PostgreSQL does not allow':
    'nennt eine Spalte, die selbst eine Formel ist; das erlaubt PostgreSQL nicht',
  'names a column whose values come from other tables': 'nennt eine Spalte, deren Werte aus anderen Tabellen kommen',
  'PostgreSQL cannot read the formula at character {position}.': 'PostgreSQL kann die Formel ab Zeichen {position} nicht lesen.',
  '{problem} (at character {position})': '{problem} (bei Zeichen {position})',
  'The formula {problem}': 'Die Formel {problem}',
  'The formula {problem}.': 'Die Formel {problem}.',
  'names a column that is not there': 'nennt eine Spalte, die es nicht gibt',
  'names a column that is not there; did you mean "{similar}"?': 'nennt eine Spalte, die es nicht gibt; meinten Sie "{similar}"?',
  'names a column that is not there; did you mean {similar}, in double quotes?':
    'nennt eine Spalte, die es nicht gibt; meinten Sie {similar}, in doppelten Anführungszeichen?',
  'needs a constant text to replace with in "{name}"': 'braucht in "{name}" eine Textkonstante als Ersatz',
  'may make a text more than {maxGrowthBytes} times as long with "{name}"':
    'kann einen Text mit "{name}" mehr als {maxGrowthBytes}-mal so lang machen',
  'uses something that a formula may not': 'verwendet etwas, das eine Formel nicht darf',
  'may name columns of its own table only, without the table': 'darf nur Spalten der eigenen Tabelle nennen, ohne die Tabelle',
  'calls a function in a way that a formula may not': 'ruft eine Funktion auf eine Weise auf, die eine Formel nicht darf',
  'uses a function that a formula may not': 'verwendet eine Funktion, die eine Formel nicht darf',
  'uses a function that a formula may not; did you mean "{similar}"?':
    'verwendet eine Funktion, die eine Formel nicht darf; meinten Sie "{similar}"?',
  'uses an operator that a formula may not': 'verwendet einen Operator, den eine Formel nicht darf',
  'uses a constant that a formula may not': 'verwendet eine Konstante, die eine Formel nicht darf',
  'uses a number that is not written in digits': 'verwendet eine Zahl, die nicht in Ziffern geschrieben ist',
  'uses a type that a formula may not': 'verwendet einen Typ, den eine Formel nicht darf',
  'needs a constant of at most {maxPaddedLength} for the length': 'braucht für die Länge eine Konstante von höchstens {maxPaddedLength}',
} as const
