import { pluralIn } from '../plural'

const plural = pluralIn('en')

type Bound = string | number | undefined

/** The form of a record. */
export const record = {
  create: 'New record',
  untitled: (table: string) => `Record of ${table}`,
  backTo: (table: string) => `To ${table}`,
  none: 'none',
  save: 'Save',
  discard: 'Discard',
  changes: (count: number) =>
    count === 0 ? 'Everything is saved.' : plural(count, { one: '# change not saved', other: '# changes not saved' }),
  notSaved: (count: number) =>
    count === 0 ? 'This was not saved' : plural(count, { one: 'This was not saved: # field', other: 'This was not saved: # fields' }),
  incomplete: 'is typed only in part',
  madeKey: 'Left empty, the service gives one.',
  filledIn: 'Filled in by the service',
  readOnlyTable: 'This table can only be read.',
  readOnlyRole: 'You may read this, and not change it.',
  notFound: 'There is no such record',
  noRecord: 'No record found',
  notFoundText: 'It has been deleted, or its key has changed.',
  range: (min: Bound, max: Bound) =>
    min === undefined && max === undefined
      ? ''
      : min === undefined
        ? `At most ${max}.`
        : max === undefined
          ? `At least ${min}.`
          : `${min} to ${max}.`,
  length: (min: Bound, max: Bound) =>
    min === undefined && max === undefined
      ? ''
      : min === undefined
        ? `At most ${max} characters.`
        : max === undefined
          ? `At least ${min} characters.`
          : `${min} to ${max} characters.`,
  pattern: (pattern: string) => `Has to match ${pattern}`,
  zone: (zone: string) => `Time of ${zone}.`,
  noJson: (line: number) => (line > 0 ? `This is not JSON; look at line ${line}.` : 'This is not JSON.'),
  clear: (name: string) => `Clear ${name}`,
  noChoice: 'No choice has this in it.',
  searchIn: (table: string) => `Search ${table}`,
  searching: 'Searching…',
  previous: 'Previous record',
  next: 'Next record',
  menu: 'Menu of this record',
  address: 'Address and API',
  addressHere: 'This record',
  addressApi: 'By the API',
  document: 'Make a document',
  documentAction: 'Make and attach',
  template: 'Template',
  format: 'Format',
  intoColumn: 'Attach to',
  delete: 'Delete',
  deleteTitle: 'Delete this record?',
  deleteText: 'It goes with its files. This cannot be undone.',
  leave: 'Leave without saving?',
  leaveText: 'What you have changed here is not saved yet.',
  leaveAction: 'Leave, and lose it',
  stay: 'Stay',
  conflict: 'Somebody else has changed this',
  conflictText:
    'While you were working, these fields were saved by somebody else. Choose what is to stay; all your other changes are saved with it.',
  mine: 'Yours',
  theirs: 'Theirs',
  saveChosen: 'Save what is chosen',
  filesOf: (column: string) => `Files of ${column}`,
  noFiles: 'No files.',
  addFiles: 'Add files',
  dropOrPaste: 'Drop files here, or paste a picture.',
  dropHere: 'Let go to add them.',
  uploads: 'On their way',
  progressOf: (file: string) => `Sending ${file}`,
  cancelUpload: 'Cancel',
  cancelNamed: (file: string) => `Do not send ${file}`,
  dismiss: 'Dismiss',
  again: 'Again',
  look: (file: string) => `Look at ${file}`,
  openFile: (file: string) => `Open ${file}`,
  download: 'Download',
  downloadNamed: (file: string) => `Download ${file}`,
  remove: 'Remove',
  removeNamed: (file: string) => `Remove ${file}`,
  removeFile: 'Remove this file?',
  removeFileText: (file: string) => `“${file}” goes from the record. This cannot be undone.`,
  previousPicture: 'Previous picture',
  nextPicture: 'Next picture',
  placeOf: (place: number, count: number) => `${place} of ${count}`,
}
