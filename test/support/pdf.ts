type PdfOptions = {
  pages?: number
  /** In points. */
  size?: [width: number, height: number]
  /** The drawing of each page, from 1; by default a black square at its bottom left. */
  drawing?: (page: number) => string
  /** Further entries of the page's dictionary. */
  page?: string
  /** Objects after the pages: the first one is `firstExtra(pages)`. */
  extra?: (string | Uint8Array)[]
  trailer?: string
}

/** The number of the first object after those of the pages. */
export const firstExtra = (pages: number) => 3 + 2 * pages

/** A stream object. */
export const pdfStream = (bytes: Uint8Array, dictionary = ''): Uint8Array =>
  Buffer.concat([Buffer.from(`<< /Length ${bytes.byteLength} ${dictionary} >>\nstream\n`), bytes, Buffer.from('\nendstream')])

/** A PDF, written by hand. */
export function makePdf({
  pages = 1,
  size = [200, 100],
  page = '',
  extra = [],
  trailer = '',
  ...options
}: PdfOptions = {}): Buffer<ArrayBuffer> {
  const drawing = options.drawing ?? (() => '0 0 50 50 re f')
  const numbers = Array.from({ length: pages }, (_, index) => index)
  const objects: (string | Uint8Array)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${numbers.map((index) => `${3 + 2 * index} 0 R`).join(' ')}] >>`,
    ...numbers.flatMap((index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Contents ${4 + 2 * index} 0 R ${page} >>`,
      pdfStream(Buffer.from(drawing(index + 1))),
    ]),
    ...extra,
  ]
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.7\n')]
  let length = parts[0]!.byteLength
  const places = objects.map((object, index) => {
    const place = length
    for (const part of [`${index + 1} 0 obj\n`, object, '\nendobj\n']) parts.push(Buffer.from(part as string))
    length += parts.slice(-3).reduce((sum, { byteLength }) => sum + byteLength, 0)
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.from(Buffer.concat([...parts, Buffer.from(end)]))
}

/** A PDF with a password. */
export const lockedPdf = () =>
  makePdf({
    extra: [`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'00'.repeat(32)}> /U <${'11'.repeat(32)}> >>`],
    trailer: `/Encrypt ${firstExtra(1)} 0 R /ID [<00><00>]`,
  })
