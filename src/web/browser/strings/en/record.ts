import { plural } from './plural'

type Bound = string | number | undefined

export const record = {
  create: 'New record',
  newIn: (table: string) => `New record in ${table}`,
  untitled: (table: string) => `Record in ${table}`,
  backTo: (table: string) => `Back to ${table}`,
  stars: (stars: number, max: number) => `${stars} of ${max} stars`,
  empty: 'empty',
  save: 'Save',
  discard: 'Discard',
  changes: (count: number) => (count === 0 ? 'All changes saved.' : plural(count, { one: '# unsaved change', other: '# unsaved changes' })),
  notSavedTitle: (count: number) =>
    count === 0
      ? 'The record was not saved'
      : plural(count, { one: 'The record was not saved: # field is invalid', other: 'The record was not saved: # fields are invalid' }),
  generatedKey: 'Leave empty to have it filled in.',
  setByService: 'Set by the service',
  readOnlyTable: 'This table is read-only.',
  readOnlyRole: 'You can view this record but not change it.',
  cannotCreate: 'You cannot add records to this table.',
  createOnly: (table: string) => `You can add records to “${table}”, but you do not see the records in it.`,
  createdUnseen: (count: number) =>
    plural(count, { one: 'Record created. You do not see it.', other: '# records created. You do not see them.' }),
  filesUnseen: (count: number) =>
    plural(count, {
      one: '# file was not added: you do not see its record.',
      other: '# files were not added: you do not see their records.',
    }),
  notFound: 'Record not found',
  noMatchingRecords: 'No matching records.',
  noSuchKey: 'No record with this key',
  notFoundText: 'It was deleted, or its key has changed.',
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
  pattern: (pattern: string) => `Must match ${pattern}`,
  zone: (zone: string) => `Time zone: ${zone}.`,
  invalidJson: (line: number) => (line > 0 ? `Invalid JSON at line ${line}.` : 'Invalid JSON.'),
  dateParts: { day: 'DD', month: 'MM', year: 'YYYY' },
  clear: (name: string) => `Clear ${name}`,
  noMatchingChoices: 'No matching choices.',
  open: 'Open',
  openNamed: (name: string) => `Open ${name}`,
  nowWith: (name: string) => `now with ${name}`,
  takes: (name: string, owner: string) => `Takes ${name} from ${owner}.`,
  showMore: (count: number) => plural(count, { one: 'Show # more', other: 'Show # more' }),
  searchIn: (table: string) => `Search ${table}`,
  searching: 'Searching…',
  panel: 'Open record',
  openPage: 'Open as a page',
  previous: 'Previous record',
  next: 'Next record',
  menu: 'Record menu',
  links: 'Link and API',
  linkToRecord: 'Link to this record',
  apiRequest: 'API request',
  document: 'Create document',
  documentAction: 'Create and attach',
  template: 'Template',
  format: 'Format',
  intoColumn: 'Attach to',
  delete: 'Delete',
  deleteTitle: 'Delete this record?',
  deleteText: 'The record and its files are deleted. If changes of the table are logged, the record goes to the trash.',
  leave: 'Leave without saving?',
  leaveText: 'Your changes have not been saved.',
  leaveAction: 'Discard changes',
  stay: 'Stay',
  conflict: 'Changed by someone else',
  conflictText: 'Someone else changed these fields while you were editing. Select the values to keep. Your other changes are saved too.',
  mine: 'Yours',
  theirs: 'Theirs',
  saveSelected: 'Save selected values',
  filesOf: (column: string) => `Files in ${column}`,
  noFiles: 'No files.',
  addFiles: 'Add files',
  dropOrPaste: 'Drop files here, or paste an image.',
  dropHere: 'Drop the files to add them.',
  uploads: 'Uploads',
  progressOf: (file: string) => `Uploading ${file}`,
  cancelUpload: 'Cancel',
  cancelNamed: (file: string) => `Cancel upload of ${file}`,
  dismiss: 'Dismiss',
  retry: 'Retry',
  view: (file: string) => `View ${file}`,
  openFile: (file: string) => `Open ${file}`,
  download: 'Download',
  downloadNamed: (file: string) => `Download ${file}`,
  remove: 'Remove',
  removeNamed: (file: string) => `Remove ${file}`,
  removeFile: 'Remove this file?',
  removeFileText: (file: string) => `“${file}” is removed from the record. This cannot be undone.`,
  previousFile: 'Previous file',
  nextFile: 'Next file',
  noPreview: 'The file cannot be shown here. Download it instead.',
  position: (place: number, count: number) => `${place} of ${count}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  page: (number: number, count: number) => `Page ${number} of ${count}`,
}
