const linkedProtocols = ['http:', 'https:', 'mailto:']

/** The URL, if a click on it only opens a page or a mail; otherwise null. */
export function safeAddress(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && linkedProtocols.includes(url.protocol) ? url.href : null
}
