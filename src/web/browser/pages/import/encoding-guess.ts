/** The single-byte encodings to try, the most likely first. */
const singleBytes = ['windows-1252', 'windows-1250', 'windows-1251', 'macintosh'] as const

export type LegacyEncoding = (typeof singleBytes)[number] | keyof typeof multiBytes

/** The letters beyond ASCII of languages that were written in these encodings. */
const western = ['äöüß', 'àâçéèêëîïôùûüÿœæ', 'áéíñóúü', 'áâãàçéêíóôõúü', 'åäöøæé', 'àèéìòóù', 'ëïéèüö', 'áðéíóúýþæö']
const letters: Record<(typeof singleBytes)[number], readonly string[]> = {
  'windows-1252': western,
  'windows-1250': ['áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ'],
  'windows-1251': ['абвгдежзийклмнопрстуфхцчшщъыьэюяё', 'абвгдежзийклмнопрстуфхцчшщьюяєіїґ', 'абвгдежзијклљмнњопрстћуфхцчџшђ'],
  macintosh: western,
}

const punctuation = /[\u00a0§°«»·€–—‘’‚“”„…•№©®™¡¿²]/

const isBetween = (byte: number, first: number, last: number) => byte >= first && byte <= last

/** Whether two bytes are a common character: the tables of each encoding begin with the common ones. */
const multiBytes = {
  shift_jis: (lead: number, trail: number) => (isBetween(lead, 0x81, 0x84) || isBetween(lead, 0x88, 0x97)) && trail >= 0x40,
  'euc-kr': (lead: number, trail: number) => (isBetween(lead, 0xa1, 0xac) || isBetween(lead, 0xb0, 0xc8)) && trail >= 0xa1,
  gbk: (lead: number, trail: number) => isBetween(lead, 0xa1, 0xd7) && trail >= 0xa1,
}

/** The margin by which another encoding must beat the usual one. */
const margin = 0.1

/** The encoding that best matches bytes that are not UTF-8. */
export function guessLegacyEncoding(bytes: Uint8Array): LegacyEncoding {
  const scores = [
    ...singleBytes.map((encoding) => ({ encoding, score: scoreLetters(bytes, encoding) })),
    ...Object.entries(multiBytes).map(([name, isCommon]) => ({ encoding: name as LegacyEncoding, score: scorePairs(bytes, isCommon) })),
  ]
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one))
  return best.score > scores[0]!.score + margin ? best.encoding : 'windows-1252'
}

/** The share of the characters beyond ASCII that one language explains, at plausible places in words. */
function scoreLetters(bytes: Uint8Array, encoding: (typeof singleBytes)[number]): number {
  const text = new TextDecoder(encoding).decode(bytes)
  const isLatin = encoding !== 'windows-1251'
  const counts = letters[encoding].map(() => 0)
  let neutral = 0
  let total = 0
  for (const { index, 0: character } of text.matchAll(/[\u0080-\uffff]/g)) {
    total++
    const [before = '', after = ''] = [text[index - 1], text[index + 1]]
    const isInside = /\p{L}/u.test(before) && /\p{L}/u.test(after)
    if (punctuation.test(character) && !isInside) neutral++
    const lower = character.toLowerCase()
    const isCapitalWithin = lower !== character && /\p{L}/u.test(before) && /\p{Ll}/u.test(before + after)
    const isOdd = isLatin ? isCapitalWithin : /[a-z]/i.test(before + after)
    if (isOdd) continue
    for (const [language, alphabet] of letters[encoding].entries()) if (alphabet.includes(lower)) counts[language]!++
  }
  return total ? (Math.max(...counts) + neutral) / total : 0
}

const isAsciiLetter = (byte = 0) => isBetween(byte | 0x20, 0x61, 0x7a)

/** The share of the double-byte characters that are common and not adjacent to ASCII letters. */
function scorePairs(bytes: Uint8Array, isCommon: (lead: number, trail: number) => boolean): number {
  let [common, total, before] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!
    if (lead < 0x80) {
      before = lead
      continue
    }
    total++
    const trail = bytes[at + 1] ?? 0
    if (!isCommon(lead, trail)) {
      before = 0
      continue
    }
    const isWithinWord = isAsciiLetter(before) || isAsciiLetter(bytes[at + 2])
    if (!isWithinWord) common++
    before = 0
    at++
  }
  return total ? common / total : 0
}
