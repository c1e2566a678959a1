import { pluralIn } from '../plural'

const plural = pluralIn('en')

export const home = {
  title: 'Tables',
  count: (tables: number) => plural(tables, { one: '# table', other: '# tables' }),
  columns: (count: number) => plural(count, { one: '# column', other: '# columns' }),
  name: 'Name',
  contents: 'Columns',
  key: 'Key',
  readOnly: 'read-only',
  more: (count: number) => `and ${count} more`,
  welcome: 'How do you want to begin?',
  welcomeText: 'There are no tables yet. You can change and delete everything later.',
  none: 'There are no tables yet',
  noneText: 'An administrator makes them. Ask for one, and it appears here.',
  emptyTable: 'An empty table',
  emptyTableText: 'Give it a name, then add the columns you need.',
  fromCsv: 'A table from a CSV file',
  fromCsvText: 'From Excel, Sheets or another system. Names and types of the columns are found out.',
  sample: 'Sample data',
  sampleText: 'Contacts and projects, products with pictures, orders with their lines: to look around.',
}
