import { plural } from './plural'

export const home = {
  title: 'Tables',
  count: (tables: number) => plural(tables, { one: '# table', other: '# tables' }),
  columns: (count: number) => plural(count, { one: '# column', other: '# columns' }),
  name: 'Name',
  contents: 'Columns',
  records: 'Records',
  about: (count: string) => `about ${count}`,
  opened: 'Last opened',
  readOnly: 'read-only',
  more: (count: number) => `and ${count} more`,
  welcome: 'Get started',
  welcomeText: 'There are no tables yet. You can change or delete everything later.',
  none: 'No tables yet',
  noneText: 'Only administrators can create tables. Ask an administrator to create one.',
  emptyTable: 'Empty table',
  emptyTableText: 'Enter a name, then add columns.',
  fromCsv: 'Table from an Excel or CSV file',
  fromCsvText: 'From Excel, Google Sheets or another system. Column names and types are detected.',
  sample: 'Sample data',
  sampleText: 'Contacts, projects, products with images, and orders to explore.',
}
