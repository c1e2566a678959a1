import type { FormulaFunctionName } from './functions'

/** Functions of spreadsheets, databases and Airtable → those that do the same here. */
const english: Readonly<Record<string, FormulaFunctionName>> = {
  AVG: 'AVERAGE',
  CEIL: 'CEILING',
  COALESCE: 'IFBLANK',
  COUNTALL: 'COUNTA',
  IFNA: 'IFERROR',
  INITCAP: 'PROPER',
  ISEMPTY: 'ISBLANK',
  ISNULL: 'ISBLANK',
  LCASE: 'LOWER',
  LENGTH: 'LEN',
  LOG10: 'LOG',
  MEAN: 'AVERAGE',
  NUMBERVALUE: 'VALUE',
  NVL: 'IFBLANK',
  POW: 'POWER',
  SUBSTR: 'MID',
  SUBSTRING: 'MID',
  TRUNC: 'ROUNDDOWN',
  UCASE: 'UPPER',
}

/** The names in a German spreadsheet. */
const german: Readonly<Record<string, FormulaFunctionName>> = {
  ABRUNDEN: 'ROUNDDOWN',
  ANZAHL2: 'COUNTA',
  AUFRUNDEN: 'ROUNDUP',
  DATUM: 'DATE',
  ERSETZEN: 'REPLACE',
  ERSTERWERT: 'SWITCH',
  FALSCH: 'FALSE',
  FINDEN: 'FIND',
  GANZZAHL: 'INT',
  GLÄTTEN: 'TRIM',
  GROSS: 'UPPER',
  GROSS2: 'PROPER',
  HEUTE: 'TODAY',
  ISOKALENDERWOCHE: 'ISOWEEKNUM',
  ISTLEER: 'ISBLANK',
  JAHR: 'YEAR',
  JETZT: 'NOW',
  KLEIN: 'LOWER',
  KÜRZEN: 'ROUNDDOWN',
  LÄNGE: 'LEN',
  LINKS: 'LEFT',
  MITTELWERT: 'AVERAGE',
  MONAT: 'MONTH',
  MONATSENDE: 'EOMONTH',
  NICHT: 'NOT',
  OBERGRENZE: 'CEILING',
  ODER: 'OR',
  POTENZ: 'POWER',
  RECHTS: 'RIGHT',
  REST: 'MOD',
  RUNDEN: 'ROUND',
  SEKUNDE: 'SECOND',
  STUNDE: 'HOUR',
  SUCHEN: 'SEARCH',
  SUMME: 'SUM',
  TAG: 'DAY',
  TEIL: 'MID',
  TEXTKETTE: 'CONCAT',
  UND: 'AND',
  UNTERGRENZE: 'FLOOR',
  VERKETTEN: 'CONCATENATE',
  VORZEICHEN: 'SIGN',
  WAHR: 'TRUE',
  WECHSELN: 'SUBSTITUTE',
  WENN: 'IF',
  WENNFEHLER: 'IFERROR',
  WENNNV: 'IFERROR',
  WENNS: 'IFS',
  WERT: 'VALUE',
  WIEDERHOLEN: 'REPT',
  WOCHENTAG: 'WEEKDAY',
  WURZEL: 'SQRT',
  XODER: 'XOR',
}

/** Functions whose arguments or results differ from those here. */
const similar: Readonly<Record<string, FormulaFunctionName>> = {
  ANZAHL: 'COUNTA',
  COUNT: 'COUNTA',
  DATEDIF: 'DATETIME_DIFF',
  DATEDIFF: 'DATETIME_DIFF',
  DATETIME_FORMAT: 'DATESTR',
  DAYS: 'DATETIME_DIFF',
  EDATE: 'DATEADD',
  EDATUM: 'DATEADD',
  INSTR: 'FIND',
  JOIN: 'ARRAYJOIN',
  KALENDERWOCHE: 'ISOWEEKNUM',
  TAGE: 'DATETIME_DIFF',
  TEXTJOIN: 'ARRAYJOIN',
  TEXTVERKETTEN: 'ARRAYJOIN',
  WEEKNUM: 'ISOWEEKNUM',
}

const names: Readonly<Record<string, FormulaFunctionName>> = { ...english, ...german }

const lookUp = (name: string, table: Readonly<Record<string, FormulaFunctionName>>): FormulaFunctionName | undefined => {
  const upper = name.normalize().toUpperCase()
  return Object.hasOwn(table, upper) ? table[upper] : undefined
}

/** The function here that does the same as another program's function; undefined if none does. */
export const functionOfOtherName = (name: string): FormulaFunctionName | undefined => lookUp(name, names)

/** The function here that does nearly the same; undefined if there is no such function. */
export const similarFunction = (name: string): FormulaFunctionName | undefined => lookUp(name, similar)
