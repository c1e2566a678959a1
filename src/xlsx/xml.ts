import { SaxesParser } from 'saxes'
import { damaged, WorkbookProblem } from './archive'

type Attributes = Record<string, string>

/** Receives the contents of the XML. The names of elements and attributes have no prefixes. */
export type XmlHandler = {
  open: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** Many times the maximum size of a cell, in UTF-8. */
const maxRunBytes = 4 * 2 ** 20

/** No part of a workbook is nested more deeply. */
const maxElementDepth = 64

const lessThan = 0x3c

/**
 * Reads XML as its bytes arrive, in pieces smaller than the text of a cell. The parser rejects entities that a document
 * declares, so none expands.
 * @throws WorkbookProblem if it is not XML
 */
export function createXmlReader({ open, text, close }: XmlHandler): { write: (bytes: Uint8Array) => void; end: () => void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser({ fragment: false, position: false })
  let run = 0
  let depth = 0
  parser.on('error', () => {
    throw damaged()
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > maxElementDepth) throw damaged()
    open(withoutPrefix(name), withoutPrefixes(attributes as Attributes))
  })
  if (text) parser.on('text', text)
  if (text) parser.on('cdata', text)
  parser.on('closetag', ({ name }) => {
    depth--
    close?.(withoutPrefix(name))
  })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw damaged()
    }
  }
  return {
    write: (bytes) => {
      // The parser keeps a text until its end.
      const at = bytes.lastIndexOf(lessThan)
      run = at < 0 ? run + bytes.length : bytes.length - at
      if (run > maxRunBytes) throw new WorkbookProblem('a cell of the file is too large')
      parser.write(decode(bytes))
    },
    end: () => {
      parser.write(decode())
      parser.close()
    },
  }
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

/** An attribute without a prefix goes before one of the same name with one. */
function withoutPrefixes(attributes: Attributes): Attributes {
  const named: Attributes = {}
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('xmlns')) continue
    if (!key.includes(':')) named[key] = value
    else named[withoutPrefix(key)] ??= value
  }
  return named
}
