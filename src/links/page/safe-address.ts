const linkedProtocols = ['http:', 'https:', 'mailto:']

/** The address, where a click on it does no more than to open a page or a mail; else null. */
export function safeAddress(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && linkedProtocols.includes(url.protocol) ? url.href : null
}
