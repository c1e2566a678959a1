import type { DrawnPage, PageJob } from '../../attachments/model'
import { type DocumentFormat, documentFormats, type Job, type RenderedDocument, type RenderOutcome, type TemplateFiles } from './job'

/** Name of the internal sub-command; not in --help. */
export const renderCommand = '__render'

/** One document; the files of its template only if the child does not have them yet. */
type Document = Omit<Job, 'template'> & { template: { hash: string; files: TemplateFiles['files'] | null } }

type DocumentMaker = (typeof documentFormats)[DocumentFormat]['maker']

export type Maker = DocumentMaker | 'pdfium'

/**
 * A message to the child. A maker is loaded before its first document, so that loading does not count towards the
 * document's time limit.
 */
export type RenderCommand = Document | PageJob | { load: Maker }

/** A message of the child. `isReady` when it has started, and when a maker is loaded. */
export type Word = { isReady: true } | { outcome: RenderOutcome | DrawnPage }

/** How many templates' files a process keeps. */
export const maxTemplates = 50

/**
 * The process in which documents are made and pages are drawn: it can be killed without affecting the service. It ends
 * when the service does.
 * @returns the exit code
 */
export async function runRenderer(): Promise<number> {
  const templates = new Map<string, TemplateFiles>()
  process.on('message', async (order: RenderCommand) => {
    if ('load' in order) say(await load(order.load))
    else say({ outcome: 'pdf' in order ? await draw(order) : await render(order, templates) })
  })
  say({ isReady: true })
  await new Promise<void>((done) => process.on('disconnect', done))
  return 0
}

const say = (word: Word) => void process.send?.(word)

/** An error here occurs again for the document, which then reports it. */
async function load(maker: Maker): Promise<Word> {
  const loading = maker === 'pdfium' ? import('./pdf-page').then(({ loadPdfium }) => loadPdfium()) : loadMaker(maker)
  await loading.catch(() => {})
  return { isReady: true }
}

async function draw(job: PageJob): Promise<DrawnPage> {
  try {
    return await (await import('./pdf-page')).drawPage(job)
  } catch {
    // PDFium has run out of its memory or its stack.
    return { undrawn: 'damaged' }
  }
}

async function render({ template: { hash, files }, ...order }: Document, templates: Map<string, TemplateFiles>): Promise<RenderOutcome> {
  if (files) templates.set(hash, { hash, files })
  const template = templates.get(hash)
  if (!template) return { problems: ['The files of the template are gone.'] }
  try {
    return bounded(await make({ ...order, template }))
  } catch (error) {
    return { problems: [String((error as Error).message ?? error).slice(0, 500)] }
  }
}

/** The service holds a whole document in memory until it is sent. */
const maxDocumentBytes = 64 * 2 ** 20

const bounded = (made: RenderedDocument): RenderOutcome =>
  'bytes' in made && made.bytes.byteLength > maxDocumentBytes ? { refused: `it is larger than ${maxDocumentBytes / 2 ** 20} MB` } : made

async function make(job: Job): Promise<RenderedDocument> {
  const { render } = await loadMaker(documentFormats[job.format].maker)
  return render(job)
}

/** Loaded at its first use: Typst takes a while. */
async function loadMaker(maker: DocumentMaker): Promise<{ render: (job: Job) => Promise<RenderedDocument> }> {
  if (maker === 'docx') return { render: (await import('./docx')).renderDocx }
  if (maker === 'liquid') return { render: (await import('./liquid')).renderLiquid }
  const { loadTypst, renderTypst } = await import('./typst')
  await loadTypst()
  return { render: renderTypst }
}
