import { Liquid } from 'liquidjs'
import { type DocumentFormat, type Job, placePictures, type RenderedDocument } from './job'
import { Markup, registerMarkup } from './markup'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Values appear in a document literally: escapes the characters that have a meaning in its format. */
const escapes: Partial<Record<DocumentFormat, (text: string) => string>> = {
  html: (text) => text.replace(/[&<>"']/g, (character) => entities[character]!),
  md: (text) => text.replace(/[\\`*_{}[\]()#+\-.!|<>&~=:$^]/g, '\\$&'),
}

const outputText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Templates include each other by their paths in the folder; other files do not exist for them. */
export async function renderLiquid({ format, main, template, data, pictures }: Job): Promise<RenderedDocument> {
  const decoder = new TextDecoder()
  const texts = Object.entries(template.files).filter(([path]) => path.endsWith('.liquid'))
  const escapeText = escapes[format]
  const engine = new Liquid({
    ownPropertyOnly: true,
    outputEscape: (value) => (value instanceof Markup ? value.text : escapeText ? escapeText(outputText(value)) : outputText(value)),
    strictFilters: true,
    templates: Object.fromEntries(texts.map(([path, bytes]) => [path, decoder.decode(bytes)])),
  })
  if (escapeText) registerMarkup(engine, escapeText)
  const placed = placePictures(data, (number) => {
    const { type, bytes } = pictures[number]!
    return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
  })
  try {
    return { bytes: new TextEncoder().encode(await engine.renderFile(main, placed)) }
  } catch (error) {
    return { problems: [(error as Error).message.split('\n')[0]!.slice(0, 500)] }
  }
}
