import type { SampleTable } from './sample-table'

const product = (name: string, category: string, price: string, stock: number, description: string) => ({
  name,
  category,
  price,
  stock,
  description,
})

/** One image per product, in order. */
const productPictures = ['lantern.png', 'mug.png', 'notebook.png', 'chair.png', 'bread.png', 'plant.png', 'poster.png', 'lamp.png']

export const products: SampleTable = {
  table: {
    name: 'products',
    columns: [
      { name: 'name', type: 'text', required: true, unique: true },
      { name: 'pictures', type: 'attachment', options: { accept: ['image/*'] } },
      {
        name: 'category',
        type: 'select',
        options: {
          choices: [
            { value: 'Light', color: 'goldenrod' },
            { value: 'Kitchen', color: 'seagreen' },
            { value: 'Paper', color: 'slateblue' },
            { value: 'Home', color: 'sienna' },
          ],
        },
      },
      { name: 'price', type: 'decimal', required: true, options: { precision: 10, scale: 2, min: 0 } },
      { name: 'stock', type: 'integer', required: true, default: 0, options: { min: 0 } },
      { name: 'description', type: 'longText' },
    ],
  },
  records: [
    product('Storm lantern', 'Light', '64.00', 12, 'Brass and glass; burns eleven hours.'),
    product('Harbour mug', 'Kitchen', '14.50', 140, 'Stoneware, 0.3 litres.'),
    product('Log book', 'Paper', '19.90', 75, 'Sewn, 192 pages, with a ribbon.'),
    product('Ladder-back chair', 'Home', '229.00', 6, 'Oiled oak. The seat is screwed on, not glued.'),
    product('Country loaf', 'Kitchen', '5.80', 0, 'Baked on Tuesdays and Fridays.'),
    product('Rubber plant', 'Home', '24.00', 18, 'With its pot.'),
    product('Fjord, print', 'Paper', '38.00', 31, 'Signed by the printer, 30 × 40 cm.'),
    product('Reading lamp', 'Light', '89.00', 9, 'Warm white, dimmable.'),
  ],
  pictures: { column: 'pictures', nameOf: (index) => productPictures[index]! },
}

const order = (number: string, contact: number | null, customer: string, address: string, ordered: string, status: string) => ({
  number,
  contact,
  customer,
  address,
  ordered,
  status,
})

/** The plugin `invoice` in the repository makes invoices from these and their lines. */
export const orders: SampleTable = {
  table: {
    name: 'orders',
    columns: [
      { name: 'number', type: 'text', required: true, unique: true },
      { name: 'customer', type: 'text', required: true },
      { name: 'contact', type: 'link', options: { table: 'contacts', onDelete: 'setNull' } },
      { name: 'address', type: 'longText' },
      { name: 'ordered', type: 'date', required: true },
      {
        name: 'status',
        type: 'select',
        required: true,
        default: 'New',
        options: {
          choices: [
            { value: 'New', color: 'royalblue' },
            { value: 'Paid', color: 'gold' },
            { value: 'Sent', color: 'seagreen' },
            { value: 'Returned', color: 'crimson' },
          ],
        },
      },
      { name: 'logo', type: 'attachment', options: { accept: ['image/*'], maxFiles: 1 } },
      { name: 'papers', type: 'attachment' },
      { name: 'changed', type: 'updatedAt' },
    ],
  },
  records: [
    order('2026-001', 1, 'Alder & Stone', 'Strandgaten 12\n5013 Bergen\nNorway', '2026-02-03', 'Sent'),
    order('2026-002', 6, 'Cardamom Kitchen', 'Rua da Rosa 88\n1200-389 Lisboa\nPortugal', '2026-02-11', 'Sent'),
    order('2026-003', 10, 'Ember Software', 'Telliskivi 60a\n10412 Tallinn\nEstonia', '2026-03-02', 'Paid'),
    order('2026-004', 12, 'Nora Haugen', 'Skippergata 5\n9008 Tromsø\nNorway', '2026-03-19', 'Returned'),
    order('2026-005', 3, 'Brightwater Books', '31 Thistle Street\nEdinburgh EH2 1DY\nScotland', '2026-04-07', 'Paid'),
    order('2026-006', 11, 'Fjordlys', 'Storgata 70\n9008 Tromsø\nNorway', '2026-04-09', 'New'),
  ],
  pictures: { column: 'logo', nameOf: () => 'logo.png' },
}

/** [order, product, quantity], by number from 1. */
const sold = [
  [1, 4, 6],
  [1, 8, 6],
  [1, 2, 24],
  [2, 2, 60],
  [2, 5, 40],
  [3, 6, 4],
  [3, 8, 10],
  [3, 3, 25],
  [4, 7, 1],
  [5, 3, 120],
  [5, 7, 3],
  [5, 2, 12],
  [6, 1, 30],
  [6, 8, 5],
] as const

export const lines: SampleTable = {
  table: {
    name: 'lines',
    columns: [
      { name: 'text', type: 'text', required: true },
      { name: 'order', type: 'link', required: true, options: { table: 'orders', onDelete: 'cascade' } },
      { name: 'position', type: 'integer', required: true },
      { name: 'product', type: 'link', options: { table: 'products', onDelete: 'restrict' } },
      { name: 'quantity', type: 'integer', required: true, default: 1, options: { min: 1 } },
      { name: 'price', type: 'decimal', required: true, options: { precision: 10, scale: 2, min: 0 } },
      { name: 'sum', type: 'formula', options: { expression: 'quantity * price' } },
    ],
  },
  records: sold.map(([order, product, quantity], index) => {
    const { name, price } = products.records[product - 1]!
    const position = sold.slice(0, index).filter(([other]) => other === order).length + 1
    return { text: name, order, position, product, quantity, price }
  }),
}
