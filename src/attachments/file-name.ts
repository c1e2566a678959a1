import { truncateBytes } from '../truncate'

const maxNameBytes = 255
const maxExtensionBytes = 20

/** Controls, marks that turn the direction of writing (`gpj.exe` for `exe.jpg`), line ends, and marks of no width. */
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/**
 * These two join and part letters of Persian and of Indian scripts, and faces of one emoji; anywhere else they hide.
 */
const idleJoiners = /(?<![^\u0000-\u007f\s\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\u0000-\u007f\s\u200c\u200d])/g

/**
 * A name as it came with a file → one that is safe to show. It never becomes a path: bytes are kept under an id
 * (SEC-55, SEC-56).
 */
export function cleanFileName(sent: string): string {
  const visible = sent.toWellFormed().replace(invisible, '').replace(idleJoiners, '').normalize('NFC')
  const last = visible.slice(Math.max(visible.lastIndexOf('/'), visible.lastIndexOf('\\')) + 1)
  const name = last.replace(/\s+/g, ' ').trim()
  return /^\.*$/.test(name) ? 'file' : shortened(name)
}

/** Keeps the extension, which people and programs go by. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maxExtensionBytes ? name.slice(dot) : ''
  const room = maxNameBytes - Buffer.byteLength(extension)
  return truncateBytes(name, room).replace(idleJoiners, '') + extension
}

/** In lower case and without the dot; empty where there is none. */
export const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
