const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The first line of a file or of standard input that holds a password, without a byte order mark.
 * @returns null if it is not UTF-8: decoded in another way, it would differ from the typed password
 */
export function firstLineOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes).split(/\r?\n/)[0]!
  } catch {
    return null
  }
}
