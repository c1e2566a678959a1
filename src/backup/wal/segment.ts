/** The default size of a segment. */
const segmentBytes = 2 ** 24

/** The timeline and the two halves of the segment's number, in hexadecimal. */
const segmentName = /^[0-9A-F]{24}$/

const objectName = /^(?<segment>[0-9A-F]{24})\.(?<sha256>[0-9a-f]{64})\.zst(?<encrypted>\.age)?$/

/** A stored segment. Its name contains the SHA-256 of the segment, compressed and encrypted or not. */
export type ArchivedSegment = { segment: string; sha256: string; isEncrypted: boolean }

export const isSegmentName = (name: string): boolean => segmentName.test(name)

export const objectNameOf = ({ segment, sha256, isEncrypted }: ArchivedSegment): string =>
  `${segment}.${sha256}.zst${isEncrypted ? '.age' : ''}`

/** Returns null unless it is the name of an archived segment. */
export function readObjectName(name: string): ArchivedSegment | null {
  const { segment = '', sha256 = '', encrypted } = objectName.exec(name)?.groups ?? {}
  return segment ? { segment, sha256, isEncrypted: encrypted !== undefined } : null
}

const segmentsPerLog = 2 ** 32 / segmentBytes

/** The name of the next segment of the same timeline. */
export function nextSegment(segment: string): string {
  const number = segmentNumber(segment) + 1
  const hexadecimal = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  return segment.slice(0, 8) + hexadecimal(Math.floor(number / segmentsPerLog)) + hexadecimal(number % segmentsPerLog)
}

/** The number of preceding segments of its timeline. */
export const segmentNumber = (segment: string): number =>
  Number.parseInt(segment.slice(8, 16), 16) * segmentsPerLog + Number.parseInt(segment.slice(16), 16)

/** The number of the segment that contains a position of PostgreSQL's log (`0/3000060`). */
export function segmentNumberOfLsn(lsn: string): number {
  const [log = '', offset = ''] = lsn.split('/')
  return Number.parseInt(log, 16) * segmentsPerLog + Math.floor(Number.parseInt(offset, 16) / segmentBytes)
}
