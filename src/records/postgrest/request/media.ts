import { throwRestFailure } from '../errors/failure'

/** How rows are written: a JSON array, one JSON object, or CSV; without nulls if requested. */
export type Media = { form: 'array' | 'object' | 'csv'; isStripped: boolean; contentType: string }

const array: Media = { form: 'array', isStripped: false, contentType: 'application/json; charset=utf-8' }
const object: Media = { form: 'object', isStripped: false, contentType: 'application/vnd.pgrst.object+json; charset=utf-8' }
const csv: Media = { form: 'csv', isStripped: false, contentType: 'text/csv; charset=utf-8' }
const strippedArray: Media = { ...array, isStripped: true, contentType: 'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8' }
const strippedObject: Media = {
  ...object,
  isStripped: true,
  contentType: 'application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8',
}

const mediaTypes: Record<string, Media> = {
  '*/*': array,
  'application/*': array,
  'application/json': array,
  'application/vnd.pgrst.array+json': array,
  'application/vnd.pgrst.array': array,
  'application/vnd.pgrst.array+json;nulls=stripped': strippedArray,
  'application/vnd.pgrst.array;nulls=stripped': strippedArray,
  'application/vnd.pgrst.object+json': object,
  'application/vnd.pgrst.object': object,
  'application/vnd.pgrst.object+json;nulls=stripped': strippedObject,
  'application/vnd.pgrst.object;nulls=stripped': strippedObject,
  'text/csv': csv,
  'text/*': csv,
}

/**
 * The first acceptable format that we can write; by weight, if weights were given.
 * @throws RestFailure PGRST107 (406)
 */
export function readAccept(header: string | null): Media {
  if (header === null || header === '' || header === '*/*' || header === 'application/json') return array
  const accepted = header.split(',').map(readType)
  const inOrder = accepted.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight)
  for (const { type } of inOrder) if (Object.hasOwn(mediaTypes, type)) return mediaTypes[type]!
  return throwRestFailure(
    406,
    'PGRST107',
    `None of these media types are available: ${inOrder.map(({ type }) => displayType(type)).join(', ')}`,
  )
}

function readType(text: string): { type: string; weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const isStripped = parameters.includes('nulls=stripped')
  return { type: isStripped ? `${name};nulls=stripped` : name, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
}

/** Repeats a media type, and never other text that was sent in its place. */
const displayType = (type: string) => (/^[\w.+*-]{1,60}\/[\w.+*-]{1,60}(;nulls=stripped)?$/.test(type) ? type : 'unreadable')
