import { createSemaphore } from '../db/pool/semaphore'
import type { Deps } from '../deps'
import { Failure, LimitExceeded, notFound, unavailable } from '../errors'
import { Lru } from '../lru'
import { type Message, translatable } from '../messages/message'
import type { DrawnPage, PageJob } from './model'

/** `read` is called when it is the caller's turn, because a PDF may take a lot of memory. */
type PdfPage = Omit<PageJob, 'pdf'> & { fileId: string; read: () => Promise<Uint8Array> }

/**
 * @param gone aborts when nobody is waiting for the page any more
 * @throws Failure not_found if the page cannot be drawn, unavailable, or the reason why it was aborted
 */
export type PdfPages = (caller: string, page: PdfPage, gone: AbortSignal) => Promise<Extract<DrawnPage, { bytes: Uint8Array }>>

/** The renderer's number of processes. Images have a separate limit, because they take less time. */
const maxConcurrent = 2
const pageWaitMs = 15_000

/**
 * A page that could not be drawn or exceeded a limit is refused for a while; after several such pages, the whole file
 * is. This is temporary, since the machine may have been busy.
 */
const refusalMs = 10 * 60_000
const maxRefusedPages = 3
const maxRefusedFiles = 1000

/** A page that is being drawn is completed even if nobody is waiting for it, because ending a process costs more. */
const never = new AbortController().signal

const reasons: Record<Extract<DrawnPage, { undrawn: unknown }>['undrawn'], Message> = {
  encrypted: translatable('The PDF is protected by a password.'),
  damaged: translatable('The PDF is damaged.'),
  no_such_page: translatable('The PDF has no such page.'),
}

const tooExpensive = translatable('Drawing this page of the PDF takes more time or memory than allowed.')

/** Draws pages of PDFs in the processes that render documents, a few at a time, shared fairly among callers. */
export function createPdfPages({ renderer }: Pick<Deps, 'renderer'>): PdfPages {
  const gate = createSemaphore(maxConcurrent, pageWaitMs, translatable('Too many thumbnails are being made right now.'))
  const refusals = createRefusals()

  const draw = async (caller: string, job: PageJob, gone: AbortSignal): Promise<DrawnPage | { undrawn: 'too_expensive' }> => {
    try {
      return await renderer.render(job, { caller, ending: never, signal: gone })
    } catch (error) {
      if (error instanceof LimitExceeded) return { undrawn: 'too_expensive' }
      if (!(error instanceof Failure) || gone.aborted) throw error
      // The renderer's messages are about documents, not about attached files.
      throw unavailable(translatable('The page cannot be drawn right now.'), 5)
    }
  }

  return async (caller, { fileId, read, ...page }, gone) => {
    refusals.requireNone(fileId, page.page)
    const leave = await gate.acquire(caller, gone)
    try {
      // The page may have been refused in the meantime.
      refusals.requireNone(fileId, page.page)
      const drawn = await draw(caller, { ...page, pdf: await read() }, gone)
      if ('bytes' in drawn) return drawn
      const reason = drawn.undrawn === 'too_expensive' ? tooExpensive : reasons[drawn.undrawn]
      // Not remembered: a caller can ask for any number of missing pages, and rejecting one is cheap.
      if (drawn.undrawn !== 'no_such_page') refusals.add(fileId, page.page, reason)
      throw notFound(reason)
    } finally {
      leave()
    }
  }
}

function createRefusals() {
  const files = new Lru<string, { until: number; pages: Map<number, Message> }>(maxRefusedFiles)
  const current = (fileId: string) => {
    const file = files.get(fileId)
    return file && file.until > performance.now() ? file.pages : new Map<number, Message>()
  }
  return {
    /** @throws Failure not_found */
    requireNone: (fileId: string, page: number) => {
      const pages = current(fileId)
      const reason = pages.get(page) ?? (pages.size < maxRefusedPages ? undefined : [...pages.values()].at(-1))
      if (reason) throw notFound(reason)
    },
    add: (fileId: string, page: number, reason: Message) =>
      files.set(fileId, { until: performance.now() + refusalMs, pages: new Map([...current(fileId), [page, reason]]) }),
  }
}
