import { truncateBytes } from '../../truncate'

/**
 * Characters that could end the header, leave the folder, or make another name appear than the stored one (bidi
 * controls, RFC 9839).
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f"\\/:*?<>|;%\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** PostgreSQL's longest name has 63 bytes; file systems allow 255. */
const maxNameBytes = 200

/** RFC 6266: an ASCII name for all clients, and the full one (RFC 8187) if ASCII cannot express it. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%;/]/g, '_')
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encodedName(name)}`}`
}

/** RFC 8187 section 3.2.1 requires these three to be encoded, which encodeURIComponent does not do; `!` is allowed. */
const encodedName = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** A name made from contents, such as those of a record, as file systems accept it: at most 200 bytes, no extension. */
export function safeFileName(name: string): string {
  const safe = name
    .toWellFormed()
    .replace(unsafe, '_')
    .replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, '_')
  return truncateBytes(safe, maxNameBytes) || '_'
}

/** For a file that the service generates and names after its contents, such as a table or a record. */
export const madeFileDisposition = (kind: 'inline' | 'attachment', name: string, extension: string): string =>
  contentDisposition(kind, `${safeFileName(name)}.${extension}`)
