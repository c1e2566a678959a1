const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The first line of a file or of standard input, where passwords come from; without a byte order mark.
 * @returns null for what is not UTF-8: read in any other way it would be another password than was typed
 */
export function firstLineOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes).split(/\r?\n/)[0]!
  } catch {
    return null
  }
}
