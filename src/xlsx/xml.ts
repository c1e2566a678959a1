import { SaxesParser } from 'saxes'
import { damaged, WorkbookProblem } from './archive'

type Attributes = Record<string, string>

/** Told of what the XML holds. Names of elements and attributes are without their prefixes. */
export type XmlHandler = {
  open: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** More than a cell may hold many times over, in UTF-8. */
const maxRunBytes = 4 * 2 ** 20

/** The length of a text is checked each time that so many bytes have been read. */
const sliceBytes = 64 * 1024

const lessThan = 0x3c

/**
 * Reads XML as its bytes come. Entities of a document of its own are refused by the parser, so none grows.
 * @throws WorkbookProblem for what is not XML
 */
export function createXmlReader({ open, text, close }: XmlHandler): { write: (bytes: Uint8Array) => void; end: () => void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser({ fragment: false, position: false })
  let run = 0
  parser.on('error', () => {
    throw damaged()
  })
  parser.on('opentag', ({ name, attributes }) => {
    open(
      withoutPrefix(name),
      Object.fromEntries(Object.entries(attributes as Attributes).map(([key, value]) => [withoutPrefix(key), value])),
    )
  })
  if (text) parser.on('text', text)
  if (text) parser.on('cdata', text)
  if (close) parser.on('closetag', ({ name }) => close(withoutPrefix(name)))
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw damaged()
    }
  }
  return {
    write: (bytes) => {
      for (let from = 0; from < bytes.length; from += sliceBytes) {
        const slice = bytes.subarray(from, from + sliceBytes)
        // The parser keeps a text until its end.
        const at = slice.lastIndexOf(lessThan)
        run = at < 0 ? run + slice.length : slice.length - at
        if (run > maxRunBytes) throw new WorkbookProblem('a cell of the file is too large')
        parser.write(decode(slice))
      }
    },
    end: () => {
      parser.write(decode())
      parser.close()
    },
  }
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)
