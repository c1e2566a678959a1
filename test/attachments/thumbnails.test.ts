import { describe, expect, test } from 'bun:test'
import { picture, startFiles } from '../support/attachments'
import { pictureBomb } from '../support/bombs'

const files = await startFiles()

const thumbnail = (url: string, size = 'small', headers: Record<string, string> = {}) =>
  files.call(`${url}?size=${size}`, { as: 'viewer', headers })

const measured = async (answer: Response) => new Bun.Image(await answer.arrayBuffer()).metadata()

describe('a thumbnail', () => {
  test('is smaller, keeps its proportions, and is never larger than the picture', async () => {
    const { url } = await files.attach('photo.jpg', await picture(2000, 1000, 'jpeg'))
    const small = await thumbnail(url)
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(small.headers.get('content-disposition')).toBe('inline; filename="photo.webp"')
    expect(await measured(small)).toEqual({ width: 320, height: 160, format: 'webp' })
    expect(await measured(await thumbnail(url, 'large'))).toEqual({ width: 1600, height: 800, format: 'webp' })
    const icon = await files.attach('icon.png', await picture(16, 8))
    expect(await measured(await thumbnail(icon.url, 'large'))).toEqual({ width: 16, height: 8, format: 'webp' })
  })

  test('is of the kind that the caller takes', async () => {
    const jpeg = await files.attach('photo.jpg', await picture(500, 500, 'jpeg'))
    const png = await files.attach('photo.png', await picture(500, 500))
    const format = async (url: string, accept: string) => (await thumbnail(url, 'small', { accept })).headers.get('content-type')
    expect(await format(jpeg.url, 'image/avif,image/webp,*/*;q=0.8')).toBe('image/webp')
    expect(await format(jpeg.url, 'image/jpeg, image/png')).toBe('image/jpeg')
    expect(await format(png.url, 'image/jpeg, image/png')).toBe('image/png')
    expect((await thumbnail(png.url)).headers.get('vary')).toBe('Authorization, Cookie, Accept')
  })

  test('is turned as the camera was held, and tells nothing of where that was', async () => {
    const jpeg = Buffer.from(await picture(900, 600, 'jpeg'))
    const tiff = Buffer.from([0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0])
    const data = Buffer.concat([Buffer.from('Exif\0\0'), tiff, Buffer.from('GPS-SECRET-PLACE')])
    const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, data.length + 2]), data])
    const { url } = await files.attach('turned.jpg', Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]))
    for (const accept of ['image/webp', 'image/jpeg']) {
      const bytes = Buffer.from(await (await thumbnail(url, 'small', { accept })).arrayBuffer())
      expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: 213, height: 320 })
      expect(bytes.includes('GPS-SECRET-PLACE')).toBe(false)
    }
  })

  test('is made once, however many ask at the same time, and kept', async () => {
    const { id, url } = await files.attach('photo.jpg', await picture(3000, 3000, 'jpeg'))
    let created = 0
    const { create } = files.deps.storage
    files.deps.storage.create = (name) => {
      created++
      return create(name)
    }
    const answers = await Promise.all(Array.from({ length: 30 }, () => thumbnail(url)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(new Set(await Promise.all(answers.map(async (answer) => Bun.hash(await answer.arrayBuffer())))).size).toBe(1)
    await thumbnail(url)
    expect(created).toBe(1)
    files.deps.storage.create = create
    expect(files.stored().filter((name) => name.startsWith(id))).toEqual([id, `${id}.small.webp`])
  })

  test('has an ETag of its own, and HEAD', async () => {
    const { url } = await files.attach('photo.jpg', await picture(900, 900, 'jpeg'))
    const answer = await thumbnail(url)
    const etag = answer.headers.get('etag')!
    expect(etag).not.toBe((await files.call(url, { as: 'viewer' })).headers.get('etag'))
    expect((await thumbnail(url, 'small', { 'if-none-match': etag })).status).toBe(304)
    expect((await thumbnail(url, 'large', { 'if-none-match': etag })).status).toBe(200)
    const head = await files.call(`${url}?size=small`, { as: 'viewer', method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'))
  })

  test.each([
    ['text', 'x.jpg', 'hello'],
    ['a drawing that could hold scripts', 'x.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['bytes that only begin like a picture', 'x.png', Buffer.from('89504e470d0a1a0a0000000d49484452ffff', 'hex')],
    ['a picture that is cut off', 'x.jpg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['nothing', 'x.png', ''],
  ])('is not made of %s', async (_what, name, body) => {
    const { url } = await files.attach(name, body)
    expect((await thumbnail(url)).status).toBe(404)
  })

  // test/executable/memory.test.ts measures the memory.
  test('is not made of a picture that would fill the memory', async () => {
    const { url, ...bomb } = await files.attach('bomb.png', await pictureBomb())
    expect(bomb).toMatchObject({ type: 'image/png' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => thumbnail(url, 'large')))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(404))
  })

  test('wants a size that there is', async () => {
    const { url } = await files.attach('photo.jpg', await picture(9, 9, 'jpeg'))
    for (const size of ['huge', '', '1', '../x']) expect((await thumbnail(url, size)).status).toBe(400)
  })
})
