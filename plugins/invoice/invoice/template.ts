import { documentTemplate, failure, t } from 'rowhouse/plugin'

type Line = { text: string; quantity: number; price: number | string }

/** In cents, since sums of fractions go wrong. */
const cents = ({ quantity, price }: Line) => Math.round(Number(price) * 100) * quantity
/** In the language of the files. */
const money = (amount: number) => (amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })

export default documentTemplate({
  title: { en: 'Invoice', de: 'Rechnung' },
  public: false,
  params: t.Object({
    order: t.Integer({
      title: { en: 'Order', de: 'Bestellung' },
      description: { en: 'The order’s id.', de: 'Die ID der Bestellung.' },
    }),
  }),
  for: { table: 'orders', key: 'order' },
  allow: ({ actor }) => actor.user.role !== 'viewer' || 'Invoices are for editors.',
  load: async ({ records, files, params }) => {
    const order = await records('orders').find(params.order)
    if (!order) throw failure('not_found', 'There is no such order.')
    const { records: found } = await records('lines').list({ where: { order: params.order }, order: 'position', limit: 1000 })
    const lines = found as unknown as Line[]
    return {
      order,
      lines: lines.map((line, index) => ({
        ...line,
        number: index + 1,
        price: money(cents({ ...line, quantity: 1 })),
        sum: money(cents(line)),
      })),
      total: money(lines.reduce((sum, line) => sum + cents(line), 0)),
      logo: await files.read('orders', params.order, 'logo'),
    }
  },
  formats: { pdf: 'invoice.typ', html: 'invoice.liquid', docx: 'invoice.docx' },
})
