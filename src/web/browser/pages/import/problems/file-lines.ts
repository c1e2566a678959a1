import type { SampleEncoding } from '../csv-sample'

const maxLineLength = 200

/** The text of some lines of a file, by line number from 1. */
export async function readLines(file: File, encoding: SampleEncoding, numbers: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const requested = new Set(numbers)
  const decoder = new TextDecoder(encoding)
  const last = Math.max(...numbers)
  let rest = ''
  let line = 1
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) {
      if (requested.has(line)) found.set(line, text.slice(0, maxLineLength))
      line++
    }
    if (line > last) return found
  }
  if (requested.has(line)) found.set(line, rest.slice(0, maxLineLength))
  return found
}
