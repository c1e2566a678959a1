import type { DrawnPage, PageJob } from '../../attachments/model'
import type { MissingCharacters } from './missing-characters'

/** The document formats, and how each is made. */
export const documentFormats = {
  pdf: { type: 'application/pdf', extension: '.typ', maker: 'typst' },
  html: { type: 'text/html;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  md: { type: 'text/markdown;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  txt: { type: 'text/plain;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  docx: { type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', extension: '.docx', maker: 'docx' },
} as const

export type DocumentFormat = keyof typeof documentFormats

/** The files of a template by their paths in its folder. `hash` identifies all of them together. */
export type TemplateFiles = { hash: string; files: Record<string, Uint8Array> }

/** An image in the data. Sizes are in pixels, if known. */
export type Picture = { type: string; bytes: Uint8Array; width?: number; height?: number }

/** `data` is JSON in which a number represents each image, as `{"$picture": 0}`. */
export type Job = { format: DocumentFormat; main: string; template: TemplateFiles; data: string; pictures: Picture[] }

/**
 * `problems` are errors in the template, with file and line if known; `refused` says why there is no document although
 * the template has no error.
 */
export type RenderOutcome = { bytes: Uint8Array; missing?: MissingCharacters[] } | { problems: string[] } | { refused: string }

/** The result of a job. */
export type Made<J extends Job | PageJob> = J extends PageJob ? DrawnPage : RenderedDocument

/** The result of the renderers of HTML and Typst. */
export type RenderedDocument = Exclude<RenderOutcome, { refused: string }>

/** Parses data and replaces the numbers of images by the images. */
export function placePictures(json: string, contentOf: (number: number) => unknown): Record<string, unknown> {
  return JSON.parse(json, (_key, value) => (isNumber(value) ? contentOf(value.$picture) : value)) as Record<string, unknown>
}

const isNumber = (value: unknown): value is { $picture: number } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 1 &&
  typeof (value as { $picture?: unknown }).$picture === 'number'

/** The file extension for an image of this type; null for a type that documents cannot show. */
export const pictureExtension = (type: string): string | null =>
  ({ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg' })[type] ?? null
