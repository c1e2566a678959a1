import type { ThumbnailSize } from './model'

export type ThumbnailFormat = 'webp' | 'png' | 'jpeg'

const sizes: ThumbnailSize[] = ['small', 'large']
const formats: ThumbnailFormat[] = ['webp', 'png', 'jpeg']

/** The name in storage of a thumbnail: it lies beside its file and goes with it. */
export const thumbnailName = (id: string, size: ThumbnailSize, format: ThumbnailFormat): string => `${id}.${size}.${format}`

/** All that a file can have. */
export const thumbnailNames = (id: string): string[] => sizes.flatMap((size) => formats.map((format) => thumbnailName(id, size, format)))
