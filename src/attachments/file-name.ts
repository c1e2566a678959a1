import { truncateBytes } from '../truncate'

const maxNameBytes = 255
const maxExtensionBytes = 20

/**
 * Control characters, marks that change the writing direction (`gpj.exe` for `exe.jpg`), line breaks and zero-width
 * marks.
 */
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/**
 * The zero-width joiner and non-joiner belong between letters of Persian and of Indian scripts and between the parts of
 * an emoji; anywhere else they are only invisible.
 */
const idleJoiners = /(?<![^\u0000-\u007f\s\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\u0000-\u007f\s\u200c\u200d])/g

/**
 * Turns an uploaded file's name into one that is safe to display. It never becomes a path: bytes are stored under an id
 * (SEC-55, SEC-56).
 */
export function cleanFileName(sent: string): string {
  const visible = sent.toWellFormed().replace(invisible, '').replace(idleJoiners, '').normalize('NFC')
  const last = visible.slice(Math.max(visible.lastIndexOf('/'), visible.lastIndexOf('\\')) + 1)
  const name = last.replace(/\s+/g, ' ').trim()
  return /^\.*$/.test(name) ? 'file' : shortened(name)
}

/** Keeps the extension, which people and programs rely on. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maxExtensionBytes ? name.slice(dot) : ''
  const room = maxNameBytes - Buffer.byteLength(extension)
  return truncateBytes(name, room).replace(idleJoiners, '') + extension
}

/** In lower case and without the dot; empty if the name has no extension. */
export const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
