/**
 * Characters of a document that no font has, by script: some of them, and how many different ones there are. `script`
 * is a code of ISO 15924.
 */
export type MissingCharacters = { script: string; characters: string; count: number }

/** Code points that a font has, as Typst lists them: runs that it lacks and runs that it has, in turn. */
export type Coverage = readonly number[]

const codePoints = 0x110000

/** Whether at least one of the fonts has a character. */
export function createCoverage(fonts: readonly Coverage[]): (character: string) => boolean {
  const has = new Uint8Array(codePoints)
  for (const runs of fonts) {
    let position = 0
    for (const [index, length] of runs.entries()) {
      if (index % 2 === 1) has.fill(1, position, position + length)
      position += length
    }
  }
  return (character) => has[character.codePointAt(0)!] === 1
}

/** Characters that are not drawn, or that fonts compose. */
const isUndrawn = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Mn}]/u

/** The different characters of texts that no font has. */
export const uncoveredIn = (texts: Iterable<string>, isCovered: (character: string) => boolean): string[] => {
  const all = new Set<string>()
  for (const text of texts) for (const character of text) if (character > '\x7f') all.add(character)
  return [...all].filter((character) => !isCovered(character) && !isUndrawn.test(character))
}

/** As many as a header can hold. */
const maxScripts = 12
const maxCharacters = 10

export function byScript(characters: string): MissingCharacters[] {
  const groups = Map.groupBy(new Set(characters), scriptOf)
  return [...groups].slice(0, maxScripts).map(([script, members]) => ({
    script,
    characters: members.slice(0, maxCharacters).join(''),
    count: members.length,
  }))
}

const scripts = [
  ...['Hani', 'Hira', 'Kana', 'Hang', 'Bopo', 'Arab', 'Hebr', 'Syrc', 'Thaa', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu'],
  ...['Knda', 'Mlym', 'Sinh', 'Thai', 'Laoo', 'Tibt', 'Mymr', 'Khmr', 'Geor', 'Armn', 'Ethi', 'Cher', 'Mong', 'Latn', 'Grek', 'Cyrl'],
].map((code) => ({ code, pattern: new RegExp(`\\p{Script=${code}}`, 'u') }))

/** Symbols that belong to no single script. */
const [emoji, others] = ['Zsye', 'Zyyy']

const scriptOf = (character: string): string =>
  /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(character)
    ? emoji
    : (scripts.find(({ pattern }) => pattern.test(character))?.code ?? others)

/** For the log; the page uses the user's language. */
export function missingCharactersText(missing: readonly MissingCharacters[]): string {
  const names = new Intl.DisplayNames('en', { type: 'script' })
  const listed = missing.map(({ script, characters, count }) => {
    const more = count - [...characters].length
    return `${names.of(script)}: ${characters}${more > 0 ? ` and ${more} more` : ''}`
  })
  return `No font has these characters of the document (${listed.join('; ')}). Put a font that has them into the folder of the template.`
}
