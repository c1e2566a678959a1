import { PDFiumLibrary } from '@hyzyla/pdfium'
import wasmPath from '@hyzyla/pdfium/pdfium.wasm' with { type: 'file' }
import type { DrawnPage, PageJob } from '../../attachments/model'

let compiled: Promise<WebAssembly.Module> | null = null

export function loadPdfium(): Promise<WebAssembly.Module> {
  compiled ??= Bun.file(wasmPath)
    .arrayBuffer()
    .then((bytes) => WebAssembly.compile(bytes))
  return compiled
}

/** The package's type of the callback is wrong: it takes an instance, and its answer is not used. */
type Instantiate = NonNullable<NonNullable<Parameters<typeof PDFiumLibrary.init>[0]>['instantiateWasm']>

/**
 * A new instance for each PDF. Its memory never held another user's PDF, and a PDF that damages it does not affect
 * others.
 */
async function startPdfium(): Promise<PDFiumLibrary> {
  const module = await loadPdfium()
  return new Promise((resolve, reject) => {
    const instantiate = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
      WebAssembly.instantiate(module, imports).then(done, reject)
    }
    PDFiumLibrary.init({ instantiateWasm: instantiate as unknown as Instantiate }).then(resolve, reject)
  })
}

/** Includes the values of form fields. Nothing in a PDF is executed: this PDFium has no JavaScript. */
export async function drawPage({ pdf, page: number, box, pictureFormat }: PageJob): Promise<DrawnPage> {
  const pdfium = await startPdfium()
  let document: Awaited<ReturnType<PDFiumLibrary['loadDocument']>>
  try {
    document = await pdfium.loadDocument(pdf)
  } catch (error) {
    return { undrawn: /password|security/i.test(String(error)) ? 'encrypted' : 'damaged' }
  }
  const pageCount = document.getPageCount()
  if (number > pageCount) return { undrawn: pageCount > 0 ? 'no_such_page' : 'damaged' }
  const page = document.getPage(number - 1)
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const scale = box / Math.max(originalWidth, originalHeight)
  if (!(originalWidth > 0 && originalHeight > 0 && Number.isFinite(scale))) return { undrawn: 'damaged' }
  const pixels = (points: number) => Math.max(1, Math.round(points * scale))
  const size = { width: pixels(originalWidth), height: pixels(originalHeight) }
  const drawn = await page.render({ ...size, scale: 1, renderFormFields: true, render: 'bitmap' })
  return { bytes: await new Bun.Image(toBitmap(size, drawn.data))[pictureFormat]().bytes(), pageCount }
}

const headerBytes = 122

/** A BMP with the header of version 4, which names the order of the colours. Without alpha: pages are opaque. */
function toBitmap({ width, height }: { width: number; height: number }, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(headerBytes + pixels.byteLength)
  const view = new DataView(bytes.buffer)
  bytes.set([0x42, 0x4d])
  view.setUint32(2, bytes.byteLength, true)
  view.setUint32(10, headerBytes, true)
  view.setUint32(14, headerBytes - 14, true)
  view.setInt32(18, width, true)
  // Negative: the first row is the top one.
  view.setInt32(22, -height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 32, true)
  // The masks define the positions of the colours.
  view.setUint32(30, 3, true)
  for (const [index, mask] of [0xff, 0xff00, 0xff0000].entries()) view.setUint32(54 + 4 * index, mask, true)
  bytes.set(pixels, headerBytes)
  return bytes
}
