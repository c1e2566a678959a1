import type { Encoding } from './csv-sample'

const longest = 200

/** Some lines of a file, by their numbers from 1, as far as they can be shown. */
export async function readLines(file: File, encoding: Encoding, numbers: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  const wanted = new Set(numbers)
  const decoder = new TextDecoder(encoding)
  const last = Math.max(...numbers)
  let rest = ''
  let line = 1
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) {
      if (wanted.has(line)) found.set(line, text.slice(0, longest))
      line++
    }
    if (line > last) return found
  }
  if (wanted.has(line)) found.set(line, rest.slice(0, longest))
  return found
}
