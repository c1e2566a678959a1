import { fileTypeFromBuffer, supportedExtensions } from 'file-type'
import { extensionOf } from './file-name'

/** The number of leading bytes that is enough to detect a file's type. */
export const tellingBytes = 64 * 1024

/** `extension` is the usual one for such bytes; empty for text and for unknown types. */
export type FoundType = { type: string; extension: string }

const unknown: FoundType = { type: 'application/octet-stream', extension: '' }

/** Kinds of text, which cannot be detected from the bytes. Browsers display plain text only. */
const textTypes: Record<string, string> = {
  csv: 'text/csv',
  css: 'text/css',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  vcf: 'text/vcard',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

/** The same type, under a name that browsers display. */
const usualTypes: Record<string, string> = { 'image/apng': 'image/png', 'audio/x-m4a': 'audio/mp4' }

/**
 * Detects the type from the bytes, whatever the sender claims (SEC-54).
 * @param head the first `tellingBytes` of the file, or all of it
 */
export async function findType(head: Uint8Array, name: string): Promise<FoundType> {
  if (head.byteLength === 0) return unknown
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found && found.mime !== 'application/xml') return { type: usualTypes[found.mime] ?? found.mime, extension: found.ext }
  const text = sniffedText(head)
  if (text === null) return unknown
  return { type: markupType(text) ?? textTypes[extensionOf(name)] ?? 'text/plain', extension: '' }
}

/** Null for bytes that are not UTF-8 or hold control characters that text does not contain. */
function sniffedText(head: Uint8Array): string | null {
  try {
    // Decoded as a stream: the last character may be cut in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text
  } catch {
    return null
  }
}

function markupType(text: string): string | null {
  const start = text.slice(0, 4096)
  if (!/^\s*</.test(start)) return null
  if (/<svg[\s>:]/i.test(start)) return 'image/svg+xml'
  if (/<(!doctype\s+html|html|head|body|script|iframe|title|meta|style)[\s>/]/i.test(start)) return 'text/html'
  return /^\s*<\?xml/i.test(start) ? 'application/xml' : null
}

/** SEC-53: types that a browser may display under our origin. They cannot run scripts. */
const shownTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/mp4',
  'video/mp4',
  'video/webm',
  'text/plain',
])

export const isShown = (type: string): boolean => shownTypes.has(type)

/**
 * Types that our pages could execute as their own code. Only the sender's file name distinguishes them from other text.
 */
const runTypes = new Set(['text/javascript', 'text/css'])

/** The Content-Type header: text is declared as UTF-8, since a browser would have to guess. */
export function contentType(type: string): string {
  if (runTypes.has(type)) return unknown.type
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/** Image types that a thumbnail can be made from. */
const pictureTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp'])

export const isPicture = (type: string): boolean => pictureTypes.has(type)

export const isPdf = (type: string): boolean => type === 'application/pdf'

/** One type with several extensions. */
const sameExtension: Record<string, string> = { jpeg: 'jpg', jpe: 'jpg', tiff: 'tif', htm: 'html', mpeg: 'mpg', m4v: 'mp4', apng: 'png' }

/** Container formats: a .doc is detected as `cfb`, and a .docx possibly only as `zip`. */
const containers = new Set(['cfb', 'zip', 'gz'])
const packed = new Set(
  'docx dotx docm dotm xlsx xltx xlsm xltm pptx potx pptm potm ppsx ppsm vsdx vstx odt ott ods ots odp otp odg otg epub jar apk xpi 3mf key numbers pages'.split(
    ' ',
  ),
)

/** Kinds of text that often, but not always, begin with a signature. */
const sometimesTold = new Set(['xml', 'ics', 'vcf', 'vtt', 'reg', 'stl', 'dat'])

/** Whether files of this extension have a signature, so that a file without it is something else. */
const isTelling = (extension: string) => (supportedExtensions as ReadonlySet<string>).has(extension) && !sometimesTold.has(extension)

const markupTypes = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'application/xml']

/**
 * Whether the name decides: only if the bytes are not recognised or only identify a container, and only for types
 * without a signature.
 */
function isNameBelieved(extension: string, found: FoundType): boolean {
  if (found.extension === 'zip') return packed.has(extension) || !isTelling(extension)
  if (found.extension !== '' && !containers.has(found.extension)) return false
  // An HTML page or an SVG is not a table, whatever its name.
  const isOtherText = extension === 'txt' || (extension in textTypes && !markupTypes.includes(textTypes[extension]!))
  return !isTelling(extension) && !(isOtherText && markupTypes.includes(found.type))
}

const normal = (extension: string) => sameExtension[extension] ?? extension

/** @param accept as in HTML: `image/png`, `image/*`, `.pdf`; an empty list accepts everything */
export function isAccepted(accept: readonly string[], found: FoundType, name: string): boolean {
  const { type, extension } = found
  return (
    accept.length === 0 ||
    accept.some((pattern) => {
      const wanted = pattern.trim().toLowerCase()
      if (wanted === '*/*' || wanted === type) return true
      if (wanted.endsWith('/*')) return type.startsWith(wanted.slice(0, -1))
      if (!wanted.startsWith('.') || normal(extensionOf(name)) !== normal(wanted.slice(1))) return false
      return normal(extension) === normal(wanted.slice(1)) || isNameBelieved(normal(wanted.slice(1)), found)
    })
  )
}
