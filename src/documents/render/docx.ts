import { TemplateHandler } from 'easy-template-x'
import { type Job, type Picture, placePictures, type RenderedDocument } from './job'

/** For an image without a size of its own, in pixels. */
const defaultSize = { width: 200, height: 200 }
const maxWidth = 600

export async function renderDocx({ main, template, data, pictures }: Job): Promise<RenderedDocument> {
  // Characters that XML cannot contain would make a file that Word does not open. `_type` would let a value be Word's
  // own XML; only images have one, and those are made here.
  const plain = JSON.parse(data, (_key, value) =>
    isObject(value) ? withoutType(value) : typeof value === 'string' ? value.replace(noXml, '\ufffd') : value,
  )
  try {
    const wordPictures = await Promise.all(pictures.map(forWord))
    const placed = placePictures(JSON.stringify(plain), (number) => pictureContent(wordPictures[number]!))
    return { bytes: new Uint8Array(await new TemplateHandler().process(Buffer.from(template.files[main]!), dotted(placed) as never)) }
  } catch (error) {
    return { problems: [`${main}: ${(error as Error).message.split('\n')[0]!.slice(0, 500)}`] }
  }
}

const noXml = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
/**
 * `{order.number}`: the library looks a tag up as one name, so nested values are also added under their dotted names.
 */
function dotted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dotted)
  if (!isObject(value) || '_type' in value) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const inner = dotted(item)
      const words =
        isObject(inner) && !('_type' in inner) ? Object.entries(inner).map(([word, each]) => [`${name}.${word}`, each] as const) : []
      return [[name, inner] as const, ...words]
    }),
  )
}

const withoutType = ({ _type: _, ...rest }: Record<string, unknown>) => rest

/** Word does not support WebP. */
async function forWord(picture: Picture): Promise<Picture> {
  if (picture.type !== 'image/webp') return picture
  return { ...picture, type: 'image/png', bytes: await new Bun.Image(picture.bytes).png().bytes() }
}

function pictureContent({ type, bytes, width, height }: Picture) {
  const size = width && height ? { width, height } : defaultSize
  const scale = Math.min(1, maxWidth / size.width)
  return {
    _type: 'image',
    source: Buffer.from(bytes),
    format: type,
    width: Math.round(size.width * scale),
    height: Math.round(size.height * scale),
  }
}
