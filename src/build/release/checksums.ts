/** In the format of `sha256sum` and `sha256sum --check`. */
export const sumsOf = (files: { name: string; sha256: string }[]): string =>
  files
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('')

/** @returns the checksums by name */
export function parseSums(text: string): Map<string, string> {
  const lines = text.split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [, sha256, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? []
      if (!sha256 || !name) throw new Error(`This is no checksum: ${line}`)
      return [name, sha256]
    }),
  )
}
