/**
 * The patterns for a search text. `text` is a regular expression that finds it ignoring case and accents; `value` finds
 * it as a number, a date or a time as PostgreSQL writes it; null if it is neither.
 */
export type SearchPatterns = { text: string; value: string | null; indexed: IndexedSearch | null }

/**
 * A search for the index of a table: each record that the patterns find has all trigrams of one of these lists. Null if
 * a pattern has no trigrams, for example because it has only two letters, or only letters other than a to z.
 */
export type IndexedSearch = string[][]

/** PostgreSQL would take too long to compile a regular expression of more characters. */
export const longestSearch = 200

const accentMarks = '[\\u0300-\\u036f]'
const accents = new RegExp(accentMarks, 'g')

/** Letters that Unicode does not decompose, and how people type them. */
const spelledPattern: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ς: 'σ',
}

/** Other marks than accents belong to their letters, as in Hangul, kana, Arabic and the scripts of India. */
const folded = (text: string): string =>
  [...text.normalize('NFD').replace(accents, '').normalize('NFC').toLowerCase()].map((letter) => spelledPattern[letter] ?? letter).join('')

/** The accented forms of each plain letter, in upper and lower case. */
const numberForms = formsOfLetters()

function formsOfLetters(): Map<string, string> {
  const found = new Map<string, string>()
  const add = (plain: string, form: string) => found.set(plain, (found.get(plain) ?? '') + form)
  for (const [from, to] of [
    [0x41, 0x52f],
    [0x1e00, 0x1fff],
  ]) {
    for (let code = from!; code <= to!; code++) {
      const letter = String.fromCharCode(code)
      const plain = folded(letter)
      if (/^\p{L}$/u.test(letter) && [...plain].length === 1 && plain !== letter) add(plain, letter)
    }
  }
  return found
}

/** Two letters, and the single letter that some languages write for them. */
const ligatures: Record<string, string> = { ss: '[ßẞ]', ae: '[æÆǽǼ]', oe: '[œŒ]', th: '[þÞ]', ...lettersWithDots() }

/** The letters of India that keyboards type as one, and that NFC writes as a letter and its dot. */
function lettersWithDots(): Record<string, string> {
  const letters = Array.from({ length: 0x400 }, (_, index) => String.fromCharCode(0x900 + index))
  return Object.fromEntries(letters.map((letter) => [letter.normalize('NFC'), letter]).filter(([pair, letter]) => pair !== letter))
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Some systems write decomposed texts. */
function letterPattern(letter: string): string {
  const parts = letter.normalize('NFD')
  if (parts !== letter) return `(?:${letter}|${parts})`
  return /\p{L}/u.test(letter) ? `[${letter}${numberForms.get(letter) ?? ''}]${accentMarks}*` : escaped(letter)
}

/** @param search of at most `longestSearch` characters */
export function searchPatterns(search: string): SearchPatterns {
  const letters = [...folded(search)]
  let text = ''
  for (let at = 0; at < letters.length; at++) {
    const pair = letters[at]! + (letters[at + 1] ?? '')
    const ligature = ligatures[pair]
    text += ligature ? `(?:${[...pair].map(letterPattern).join('')}|${ligature})` : letterPattern(letters[at]!)
    if (ligature) at++
  }
  const values = [...numbers(search), ...dates(search), ...timePatterns(search), ...(/\d/.test(search) ? [escaped(search.trim())] : [])]
  const value = values.length ? `(?:${[...new Set(values)].join('|')})` : null
  const found = [folded(search), ...values.map(plainValue).filter(isAscii)]
  const lists = [...new Set(found)].map(trigramsOf)
  return { text, value, indexed: lists.every(isSelective) ? lists : null }
}

/** The unknown digits of a date. */
const anyDigits = '\x7f'

/** Several values, such as those of a lookup, are lines of one text. */
const anyDigitsBefore = '(?:^|\\n)-?[0-9]*'
const endOfValue = '(?![^\\n])'

/** PostgreSQL writes numbers, dates and times in no other characters. */
const isAscii = (value: string): boolean => /^[\0-\x7f]*$/.test(value)

/** The text of the pattern of a value, in lower case as in the index. */
const plainValue = (pattern: string): string =>
  pattern.replace(anyDigitsBefore, '').replace(endOfValue, '\n').replaceAll('[0-9][0-9]', anyDigits).replace(/\\(.)/g, '$1').toLowerCase()

/** One letter at the beginning of a word is in nearly every record. */
const isSelective = (trigrams: readonly string[]): boolean => trigrams.some((trigram) => !trigram.startsWith('  '))

/**
 * The trigrams that `pg_trgm` finds in every text with this part. It treats characters other than letters and digits as
 * blanks. Whether it recognizes letters outside ASCII depends on the locale of the database.
 */
function trigramsOf(part: string): string[] {
  const trigrams = new Set<string>()
  for (const { 0: word, index } of part.matchAll(/[a-z0-9]+/g)) {
    const padded = `${isBlank(part[index - 1]) ? '  ' : ''}${word}${isBlank(part[index + word.length]) ? ' ' : ''}`
    for (let at = 0; at + 3 <= padded.length; at++) trigrams.add(padded.slice(at, at + 3))
  }
  return [...trigrams]
}

/** More letters may precede or follow the part. */
const isBlank = (character: string | undefined): boolean => character !== undefined && character < anyDigits

/**
 * A number in the English form with zeros at its end. With exactly three digits after its only sign, it may be a German
 * number, such as `1.000`.
 */
const endsInZeros = /^[-+]?(?:\d*\.(?!\d{3}$)|\d{1,3}(?:,\d{3})+\.)\d*0$/

/** `1,234.5` as both conventions read it. */
function numbers(search: string): string[] {
  const text = search.replace(/[\s\u00a0\u202f'’]/g, '').replace('\u2212', '-')
  if (!/^[-+]?[\d.,]*\d[\d.,]*$/.test(text)) return []
  const swapped = text.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'))
  return [text, swapped].flatMap((typed) => {
    const reading = typed.replaceAll(',', '').replace('+', '')
    if (!/^-?\d*(\.\d*)?$/.test(reading)) return []
    return [escaped(reading), ...(endsInZeros.test(typed) ? withoutZeros(reading) : [])]
  })
}

/** Finds a value from its beginning to its end: columns without a scale show zeros at the end and do not store them. */
function withoutZeros(reading: string): string[] {
  const stored = reading.replace(/\.?(?<!0)0+$/, '')
  return /\d/.test(stored) ? [`${anyDigitsBefore}${escaped(stored)}${endOfValue}`] : []
}

/** The names of months in the languages of the web UI. */
const months = new Map(
  ['en', 'de'].flatMap((language) =>
    ['long', 'short'].flatMap((style) =>
      Array.from({ length: 12 }, (_, month): [string, number] => {
        const format = new Intl.DateTimeFormat(language, { month: style as 'long' | 'short', timeZone: 'UTC' })
        return [folded(format.format(Date.UTC(2000, month, 15))).replace('.', ''), month + 1]
      }),
    ),
  ),
)

const twoDigits = (number: string | number): string => String(number).padStart(2, '0')

function dates(search: string): string[] {
  const [, first, second, year = ''] = /^\s*(\d{1,2})[./](\d{1,2})[./]?(\d{4})?\s*$/.exec(search) ?? []
  if (first && second)
    return [
      `${year}-${twoDigits(second)}-${twoDigits(first)}`,
      ...(search.includes('/') ? [`${year}-${twoDigits(first)}-${twoDigits(second)}`] : []),
    ]
  const words = folded(search)
    .split(/[\s.,]+/)
    .filter(Boolean)
  const month = words.map((word) => months.get(word)).find((found) => found !== undefined)
  const rest = words.filter((word) => !months.has(word))
  const [days, years] = [rest.filter((word) => /^\d{1,2}$/.test(word)), rest.filter((word) => /^\d{4}$/.test(word))]
  if (month === undefined || days.length > 1 || years.length > 1 || days.length + years.length < rest.length) return []
  return [`${years[0] ?? ''}-${twoDigits(month)}-${days[0] === undefined ? '[0-9][0-9]' : twoDigits(days[0])}`]
}

/** `2:30 PM` */
function timePatterns(search: string): string[] {
  const [, hour, minute, half] = /^\s*(\d{1,2}):(\d\d)\s*([ap])\.?m\.?\s*$/i.exec(search) ?? []
  if (!hour || !half) return []
  return [`${twoDigits((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0))}:${minute}`]
}
