/**
 * Everything that could end the header, leave the folder, or show another name than the one that is stored (bidi
 * controls, RFC 9839).
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f"\\/:*?<>|;%\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** PostgreSQL's longest name has 63 bytes; file systems stop at 255. */
const maxNameBytes = 200

/** `Content-Disposition` for a file of this name: RFC 6266, with the name beyond ASCII as RFC 8187 says. */
export function attachmentNamed(name: string): string {
  const safe =
    shortened(
      name
        .toWellFormed()
        .replace(unsafe, '_')
        .replace(/^[.\s]+|[.\s]+$/g, '_'),
    ) || '_'
  const ascii = safe.replace(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(safe).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return ascii === safe ? `attachment; filename="${ascii}"` : `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function shortened(name: string): string {
  let kept = name
  while (Buffer.byteLength(kept) > maxNameBytes) kept = [...kept].slice(0, -1).join('')
  return kept
}
