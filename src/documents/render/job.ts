import type { MissingCharacters } from './missing-characters'

/** What a document can be, and how it is made. */
export const documentFormats = {
  pdf: { type: 'application/pdf', extension: '.typ', maker: 'typst' },
  html: { type: 'text/html;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  md: { type: 'text/markdown;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  txt: { type: 'text/plain;charset=utf-8', extension: '.liquid', maker: 'liquid' },
  docx: { type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', extension: '.docx', maker: 'docx' },
} as const

export type DocumentFormat = keyof typeof documentFormats

/** The files of a template by their paths in its folder. `hash` stands for all of them. */
export type TemplateFiles = { hash: string; files: Record<string, Uint8Array> }

/** A picture among the data. Sizes are pixels, where they are known. */
export type Picture = { type: string; bytes: Uint8Array; width?: number; height?: number }

/** `data` is JSON; where a picture belongs stands its number, as `{"$picture": 0}`. */
export type Job = { format: DocumentFormat; main: string; template: TemplateFiles; data: string; pictures: Picture[] }

/**
 * `problems` are mistakes in the template, with file and line where they are known; `refused` says why there is no
 * document without one.
 */
export type RenderOutcome = { bytes: Uint8Array; missing?: MissingCharacters[] } | { problems: string[] } | { refused: string }

/** What the makers in `render-*.ts` give. */
export type RenderedDocument = Exclude<RenderOutcome, { refused: string }>

/** Data with its pictures in the place of their numbers. */
export function placePictures(json: string, place: (number: number) => unknown): Record<string, unknown> {
  return JSON.parse(json, (_key, value) => (isNumber(value) ? place(value.$picture) : value)) as Record<string, unknown>
}

const isNumber = (value: unknown): value is { $picture: number } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 1 &&
  typeof (value as { $picture?: unknown }).$picture === 'number'

/** What a picture's file is called for this type; null for what is no picture that documents can show. */
export const pictureExtension = (type: string): string | null =>
  ({ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg' })[type] ?? null
