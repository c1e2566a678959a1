/** Letters that Unicode does not decompose, as the service's search reads them. */
const spelled: Record<string, string> = {
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

/** The text without case and accents, and the index of each of its characters in the original text. */
function foldText(text: string): { folded: string; places: number[] } {
  let folded = ''
  const places: number[] = []
  let at = 0
  for (const letter of text) {
    const plain = letter
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
    const piece = spelled[plain] ?? plain
    folded += piece
    for (let index = 0; index < piece.length; index++) places.push(at)
    at += letter.length
  }
  places.push(at)
  return { folded, places }
}

/** Finds a search text within a text, ignoring case and accents. */
export function findHits(text: string, search: string): [from: number, to: number][] {
  const wanted = foldText(search.trim()).folded
  if (wanted === '') return []
  const { folded, places } = foldText(text)
  const hits: [number, number][] = []
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
    const from = places[at]!
    const last = places[at + wanted.length - 1]!
    hits.push([from, places.find((place) => place > last) ?? text.length])
  }
  return hits
}
