/** Text that is HTML already. Only `html` makes it, and it escapes all other text. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlPart = string | number | null | Html | readonly HtmlPart[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

const textOf = (part: HtmlPart): string => {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part))
}

/** A template whose values are escaped, unless they are HTML themselves. Attributes must be in double quotes. */
export const html = (texts: TemplateStringsArray, ...parts: HtmlPart[]): Html =>
  new Html(texts.map((text, index) => (index === 0 ? text : textOf(parts[index - 1]!) + text)).join(''))

/** The lines of a document's head that pages for people without an account share. */
export const pageHead = (title: string): Html => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>`
