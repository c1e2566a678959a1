import { CaptureTag, type Context, Drop, filters, type Liquid } from 'liquidjs'

/** Text that has been escaped for its format. Every other filter takes it as ordinary text, which is escaped again. */
export class Markup extends Drop {
  constructor(readonly text: string) {
    super()
  }

  /** The filter `size` and the property of this name read it. */
  get length(): number {
    return this.text.length
  }

  get size(): number {
    return this.length
  }

  override valueOf(): string {
    return this.text
  }
}

/**
 * Filters and a tag that return markup. Those of LiquidJS return ordinary text, whose output is escaped a second time;
 * and with `raw` the values of `newline_to_br` are not escaped at all.
 */
export function registerMarkup(engine: Liquid, escapeText: (text: string) => string): void {
  const toMarkup = (value: unknown) => (value instanceof Markup ? value : new Markup(escapeText(toText(value))))
  for (const name of ['escape', 'xml_escape']) engine.registerFilter(name, toMarkup)
  engine.registerFilter('escape_once', (value) => (value instanceof Markup ? value : toMarkup(withoutEntities(toText(value)))))
  engine.registerFilter('newline_to_br', (value) => new Markup(toMarkup(value).text.replace(/\r?\n/g, '<br />\n')))
  engine.registerFilter('default', function (value, ...rest) {
    const isKept = value instanceof Markup && value.text !== ''
    return isKept || typeof ordinaryDefault !== 'function' ? value : ordinaryDefault.call(this, value, ...rest)
  })
  engine.registerTag('capture', MarkupCaptureTag)
}

const { default: ordinaryDefault } = filters

/** A captured text has already been escaped where it was printed. */
class MarkupCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    context.bottom()[this.variable] = new Markup(yield this.liquid.renderer.renderTemplates(this.templates, context))
  }
}

/** Lists are joined, as every filter of LiquidJS does. */
const toText = (value: unknown): string =>
  Array.isArray(value) ? value.map(toText).join('') : value === null || value === undefined ? '' : String(value)

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'" }

const withoutEntities = (text: string): string => text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (_entity, name: string) => characters[name]!)
