import { deflateSync } from 'node:zlib'

/** 0xRRGGBB. */
type Color = number

/** Lengths are in hundredths of the picture's height, from its upper left corner. */
export type Shape =
  | { kind: 'oval'; x: number; y: number; width: number; height: number; color: Color }
  | { kind: 'box'; x: number; y: number; width: number; height: number; color: Color }
  | { kind: 'polygon'; points: readonly (readonly [x: number, y: number])[]; color: Color }

export type Drawing = { name: string; background: readonly [above: Color, below: Color]; shapes: readonly Shape[] }

const widthPixels = 240
const heightPixels = 180

/** Each pixel is looked at so often across and down, so that edges are smooth. */
const samples = 2

/** A drawing as the bytes of a PNG (https://www.w3.org/TR/png-3/): three bytes a pixel, each row as its difference from the one above. */
export function pngOf({ background, shapes }: Drawing): Uint8Array {
  const stride = widthPixels * 3
  const rows = Buffer.alloc(heightPixels * (stride + 1))
  let above = new Uint8Array(stride)
  for (let y = 0; y < heightPixels; y++) {
    const row = rowOf(background, shapes, y)
    const at = y * (stride + 1)
    rows[at] = 2
    for (let index = 0; index < stride; index++) rows[at + 1 + index] = row[index]! - above[index]!
    above = row
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(widthPixels, 0)
  header.writeUInt32BE(heightPixels, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))])
}

function rowOf([above, below]: Drawing['background'], shapes: readonly Shape[], y: number): Uint8Array<ArrayBuffer> {
  const row = new Uint8Array(widthPixels * 3)
  const behind = mix(above, below, y / heightPixels)
  for (let x = 0; x < widthPixels; x++) {
    let [red, green, blue] = [0, 0, 0]
    for (let sample = 0; sample < samples ** 2; sample++) {
      const across = (100 * (x + ((sample % samples) + 0.5) / samples)) / heightPixels
      const down = (100 * (y + (Math.floor(sample / samples) + 0.5) / samples)) / heightPixels
      const color = shapes.findLast((shape) => holds(shape, across, down))?.color ?? behind
      red += color >> 16
      green += (color >> 8) & 0xff
      blue += color & 0xff
    }
    row.set([red / samples ** 2, green / samples ** 2, blue / samples ** 2], x * 3)
  }
  return row
}

const partsOf = (color: Color): number[] => [color >> 16, (color >> 8) & 0xff, color & 0xff]

const mix = (one: Color, other: Color, share: number): Color =>
  partsOf(one).reduce((mixed, part, index) => mixed * 256 + Math.round(part + (partsOf(other)[index]! - part) * share), 0)

function holds(shape: Shape, x: number, y: number): boolean {
  if (shape.kind === 'polygon') return isWithin(shape.points, x, y)
  const [across, down] = [(x - shape.x) / shape.width, (y - shape.y) / shape.height]
  if (shape.kind === 'oval') return (across - 0.5) ** 2 + (down - 0.5) ** 2 <= 0.25
  return across >= 0 && across <= 1 && down >= 0 && down <= 1
}

/** A point is within when a line from it to the left crosses the edges an odd number of times. */
function isWithin(points: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let isInside = false
  for (const [index, [x1, y1]] of points.entries()) {
    const [x2, y2] = points.at(index - 1)!
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
  }
  return isInside
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(Bun.hash.crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}
