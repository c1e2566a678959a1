/** What `Prefer: return=…` (RFC 7240 section 4.2) asks for; undefined for nothing that we know. */
export function preferredReturn(header: string | null): 'minimal' | 'representation' | undefined {
  const [, word] = /(?:^|[,;])\s*return\s*=\s*"?(minimal|representation)"?\s*(?:$|[,;])/i.exec(header ?? '') ?? []
  return word?.toLowerCase() as 'minimal' | 'representation' | undefined
}
