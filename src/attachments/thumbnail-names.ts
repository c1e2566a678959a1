import type { ThumbnailSize } from './model'

export type ThumbnailFormat = 'webp' | 'png' | 'jpeg'

const sizes: ThumbnailSize[] = ['small', 'large']
const formats: ThumbnailFormat[] = ['webp', 'png', 'jpeg']

/** The name of a thumbnail in storage: it is stored beside its file and deleted with it. */
export const thumbnailName = (id: string, size: ThumbnailSize, format: ThumbnailFormat): string => `${id}.${size}.${format}`

/** The names of all thumbnails that a file can have. */
export const thumbnailNames = (id: string): string[] => sizes.flatMap((size) => formats.map((format) => thumbnailName(id, size, format)))
