import { pluralIn } from '../plural'

const plural = pluralIn('en')

export const tables = {
  create: 'New table',
  createAction: 'Create',
  name: 'Name',
  nameHelp: 'Any letters, at most 63 bytes. It begins with one column of text.',
  firstColumn: 'Name',
  menuOf: (table: string) => `Menu of ${table}`,
  rename: 'Rename',
  renameTitle: (table: string) => `Rename ${table}`,
  delete: 'Delete',
  deleteTitle: (table: string) => `Delete ${table}`,
  deleteText: 'The table goes with all its records and files. This cannot be undone.',
  deleteAction: 'Delete the table',
  records: 'Records',
  recordsOf: (table: string) => `Records of ${table}`,
  shown: (count: number) => plural(count, { one: '# record', other: '# records' }),
  noRecords: 'No records yet',
  noRecordsText: 'Records come by CSV, by the API, or by hand.',
  columns: 'Columns',
  type: 'Type',
  required: 'Required',
  unique: 'Unique',
  yes: 'yes',
  no: 'no',
  key: 'key',
}
