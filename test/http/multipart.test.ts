import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { multipartFiles } from '../../src/http/request/multipart'
import { rejection, settled } from '../support/rejection'

const boundary = 'XX'
const type = `multipart/form-data; boundary=${boundary}`

async function* inChunks(bytes: Buffer, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield new Uint8Array(bytes.subarray(start, start + size))
}

const formOf = (files: [string, Buffer][]) =>
  Buffer.concat([
    ...files.flatMap(([name, bytes]) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

async function read(body: AsyncIterable<Uint8Array>, mostFiles = 100): Promise<[string, Buffer][]> {
  const found: [string, Buffer][] = []
  for await (const { fileName, bytes } of multipartFiles(type, body, { mostFiles })) {
    const copies = await Array.fromAsync(bytes, (chunk) => Buffer.from(chunk))
    found.push([fileName, Buffer.concat(copies)])
  }
  return found
}

describe('the files of a form', () => {
  test('come out as they went in, however the bytes are cut', async () => {
    // Much that looks nearly like a boundary.
    const piece = fc.constantFrom('\r\n', '--', '-', 'X', 'XX', '\r', '\n', '\r\n--X', 'a', '\0')
    const bytes = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')))
    const harmless = bytes.filter((value) => !value.includes(`--${boundary}`))
    await fc.assert(
      fc.asyncProperty(fc.array(harmless, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), async (contents, size) => {
        const files = contents.map((content, index): [string, Buffer] => [`${index}.bin`, content])
        expect(await read(inChunks(formOf(files), size))).toEqual(files)
      }),
      { numRuns: 400 },
    )
  })

  test('that are cut off anywhere are refused', async () => {
    const whole = formOf([
      ['a', Buffer.from('hello')],
      ['b', Buffer.from('world')],
    ])
    for (let length = 0; length < whole.length - 4; length++) {
      expect(await rejection(read(inChunks(whole.subarray(0, length), 7)))).toMatchObject({ kind: 'invalid_request' })
    }
  })

  test('can be left unread, and the next one comes', async () => {
    const form = formOf([
      ['a', Buffer.alloc(500_000)],
      ['b', Buffer.from('x')],
    ])
    const names: string[] = []
    for await (const { fileName } of multipartFiles(type, inChunks(form, 60_000), { mostFiles: 10 })) names.push(fileName)
    expect(names).toEqual(['a', 'b'])
  })

  test('that break off fail with the reason', async () => {
    async function* breaking() {
      yield new Uint8Array(formOf([['a', Buffer.alloc(100)]]).subarray(0, 100))
      throw new Error('gone')
    }
    expect(await settled(read(breaking()))).toThrow('gone')
  })

  test('are not taken in faster than they are read', async () => {
    let sent = 0
    async function* fast() {
      yield new TextEncoder().encode(`--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n`)
      for (; sent < 1000; sent++) yield new Uint8Array(65_536)
    }
    for await (const { bytes } of multipartFiles(type, fast(), { mostFiles: 10 })) {
      await bytes[Symbol.asyncIterator]().next()
      await Bun.sleep(50)
      expect(sent).toBeLessThan(20)
      break
    }
  })

  test('are not more than are wanted', async () => {
    const many = formOf(Array.from({ length: 11 }, (_, index): [string, Buffer] => [`${index}`, Buffer.from('x')]))
    expect(await rejection(read(inChunks(many, 1000), 10))).toMatchObject({ kind: 'payload_too_large' })
    expect(await read(inChunks(many, 1000), 11)).toHaveLength(11)
  })
})
