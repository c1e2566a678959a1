/** What a CSV file looks like at its beginning, for showing it before anything is sent. */
export type Beginning = { encoding: Encoding; delimiter: Delimiter; rows: string[][] }

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

export const delimiters = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const
export type Delimiter = keyof typeof delimiters

const bytesRead = 64 * 1024

/** @param wanted what the user has chosen instead of what is found */
export async function readBeginning(file: File, wanted: { encoding?: Encoding; delimiter?: Delimiter }): Promise<Beginning> {
  const bytes = new Uint8Array(await file.slice(0, bytesRead).arrayBuffer())
  const encoding = wanted.encoding ?? encodingOf(bytes, file.size > bytesRead)
  const text = new TextDecoder(encoding).decode(bytes)
  const sep = /^sep=([,;\t|])\r?\n/.exec(text)
  const delimiter = wanted.delimiter ?? (sep?.[1] as Delimiter | undefined) ?? likeliest(text)
  const rows = splitRows(text.slice(sep?.[0].length ?? 0), delimiter)
  // The last record may be cut where the reading has stopped.
  return { encoding, delimiter, rows: file.size > bytesRead ? rows.slice(0, -1) : rows }
}

/** As the service does: by the mark, else UTF-8, else what Windows writes. */
function encodingOf(bytes: Uint8Array, isCut: boolean): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

function likeliest(text: string): Delimiter {
  const all = Object.keys(delimiters) as Delimiter[]
  const cells = all.map((each) => splitRows(text, each, 1)[0]?.length ?? 0)
  return all[cells.indexOf(Math.max(...cells))]!
}

const cell = (delimiter: string) =>
  new RegExp(`("(?:[^"]|"")*"[^${delimiter}\\r\\n]*|[^${delimiter}\\r\\n]*)(${delimiter}|\\r\\n|\\r|\\n|$)`, 'gy')

/** The records, without blank lines. */
export function splitRows(text: string, delimiter: Delimiter, most = 20): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [whole, value = '', end] of text.matchAll(cell(delimiter === '|' ? '\\|' : delimiter))) {
    row.push(value.startsWith('"') ? value.replace(/^"|"(?=[^"]*$)/g, '').replaceAll('""', '"') : value)
    if (end === delimiter) continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
    if (rows.length === most || whole === '') break
  }
  return rows
}
