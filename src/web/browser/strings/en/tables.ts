import { pluralIn } from '../plural'

const plural = pluralIn('en')

export const tables = {
  create: 'New table',
  createAction: 'Create',
  name: 'Name',
  nameHelp: 'At most 63 bytes. The table starts with one text column.',
  firstColumn: 'Name',
  menuOf: (table: string) => `Menu for ${table}`,
  rename: 'Rename',
  renameTitle: (table: string) => `Rename ${table}`,
  delete: 'Delete',
  deleteTitle: (table: string) => `Delete ${table}`,
  deleteText: 'The table and all its records and files are deleted. This cannot be undone.',
  deleteAction: 'Delete table',
  records: 'Records',
  recordsOf: (table: string) => `Records in ${table}`,
  shown: (count: number) => plural(count, { one: '# record', other: '# records' }),
  noRecords: 'No records yet',
  noRecordsText: 'Add a row, import a CSV file, or use the API.',
  columns: 'Columns',
  type: 'Type',
  required: 'Required',
  unique: 'Unique',
  yes: 'yes',
  no: 'no',
  key: 'key',
}
