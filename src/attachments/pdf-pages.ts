import { createSemaphore } from '../db/pool/semaphore'
import type { Deps } from '../deps'
import { Failure, notFound } from '../errors'
import { Lru } from '../lru'
import { type Message, translatable } from '../messages/message'
import type { DrawnPage, PageJob } from './model'

/** `key` identifies the picture. `read` is called when there is a place, because a PDF may take 64 MB of memory. */
type PdfPage = Omit<PageJob, 'pdf'> & { key: string; read: () => Promise<Uint8Array | Blob> }

/** @throws Failure not_found if the page cannot be drawn, unavailable */
export type PdfPages = (caller: string, page: PdfPage) => Promise<Extract<DrawnPage, { bytes: Uint8Array }>>

/** As many as the renderer has processes. Apart from the places of images, which take less time. */
const maxConcurrent = 2
const pageWaitMs = 15_000

/** A page that took too much is refused for a while. Not forever: the machine may have been busy. */
const maxExpensive = 1000
const expensiveMs = 10 * 60_000

/** Others may wait for the same page, so it is drawn although its first caller has left. */
const never = new AbortController().signal

const reasons: Record<Extract<DrawnPage, { undrawn: unknown }>['undrawn'], Message> = {
  encrypted: translatable('The PDF is protected by a password.'),
  damaged: translatable('The PDF is damaged.'),
  no_such_page: translatable('The PDF has no such page.'),
}

const tooExpensive = () => notFound(translatable('Drawing this page of the PDF takes more time or memory than allowed.'))

/** Draws pages of PDFs in the processes of documents, few at a time, shared fairly among callers. */
export function createPdfPages({ renderer }: Pick<Deps, 'renderer'>): PdfPages {
  const gate = createSemaphore(maxConcurrent, pageWaitMs, translatable('Too many thumbnails are being made at this moment.'))
  const expensiveUntil = new Lru<string, number>(maxExpensive)

  const draw = async (caller: string, { key, read, ...page }: PdfPage): Promise<DrawnPage> => {
    const pdf = await new Response((await read()) as Uint8Array<ArrayBuffer> | Blob).bytes()
    try {
      return await renderer.render({ ...page, pdf }, { caller, ending: never, signal: never })
    } catch (error) {
      if (!(error instanceof Failure && error.kind === 'render_failed')) throw error
      expensiveUntil.set(key, performance.now() + expensiveMs)
      throw tooExpensive()
    }
  }

  return async (caller, page) => {
    if ((expensiveUntil.get(page.key) ?? 0) > performance.now()) throw tooExpensive()
    const leave = await gate.acquire(caller)
    try {
      const drawn = await draw(caller, page)
      if ('undrawn' in drawn) throw notFound(reasons[drawn.undrawn])
      return drawn
    } finally {
      leave()
    }
  }
}
