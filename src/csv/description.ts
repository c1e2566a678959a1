import { idempotencyKeyParameter } from '../records/idempotency'
import { workbookMediaType } from '../xlsx/media-type'

const textSchema = { type: 'string' } as const

const wordSchema = (...words: string[]) => ({ type: 'string', enum: words }) as const

const parameter = (name: string, description: string, schema: object = textSchema) =>
  ({ name, in: 'query', required: false, schema, description }) as const

export const describeExport = {
  summary: 'Export records as CSV',
  description:
    'The rows of one moment, as many as there are, with the filters, `select`, `order`, `limit` and `offset` of the record list. ' +
    'A failure after the first byte breaks the connection. GET /api/v1/exports/{id} tells whether all of it was sent.',
  parameters: [
    parameter('delimiter', 'comma (default), semicolon, tab, pipe, or the character itself.'),
    parameter(
      'formulas',
      '`escape` puts an apostrophe before cells that a spreadsheet would take for a formula; the default with for=people.',
      {
        type: 'string',
        enum: ['keep', 'escape'],
      },
    ),
    parameter(
      'for',
      '`people`: names of linked records and users, lists by commas, local times; an import needs the same `timezone`.',
      wordSchema('programs', 'people'),
    ),
    parameter('timezone', 'With for=people: the time zone of moments, as Europe/Berlin; UTC if left out.'),
    parameter('decimals', 'With for=people: the decimal mark of numbers.', wordSchema('point', 'comma')),
    parameter('bom', '1 begins the file with a byte order mark, by which Excel knows UTF-8.', { type: 'string', enum: ['0', '1'] }),
  ],
  responses: {
    200: {
      description: 'The file (RFC 4180), with a header line.',
      headers: {
        'X-Export-Id': { schema: textSchema, description: 'For GET /api/v1/exports/{id}.' },
        'Content-Disposition': { schema: textSchema, description: 'An attachment with the name of the table.' },
      },
      content: { 'text/csv': { schema: textSchema } },
    },
  },
}

export const describeWorkbookExport = {
  summary: 'Export records as a workbook (.xlsx)',
  description:
    'As the export of CSV with `for=people`: numbers, dates and truth values as such, names for links, local times. ' +
    'Numbers of more than 15 digits and dates before March 1900 are texts, and a text ends after 32,767 characters with “…”. ' +
    'More than 1,048,575 records are refused with 400 before the first byte.',
  parameters: [parameter('timezone', 'The time zone of moments, as Europe/Berlin; UTC if left out.')],
  responses: {
    200: {
      description: 'The workbook (ECMA-376): one sheet with a header row.',
      headers: describeExport.responses[200].headers,
      content: { [workbookMediaType]: { schema: { type: 'string' as const, format: 'binary' } } },
    },
  },
}

export const describeExportState = {
  summary: 'Get the state of an export',
  description: 'Available for a day, to the user who started it.',
}

const file = {
  required: true,
  content: {
    'text/csv': { schema: textSchema },
    [workbookMediaType]: { schema: { type: 'string' as const, format: 'binary' } },
    'multipart/form-data': {
      schema: {
        type: 'object' as const,
        properties: {
          corrections: {
            ...textSchema,
            description:
              'Cells to replace, before the file: a JSON array of at most 1,000 items {line, column, value, was?}, by the lines and columns that problems name; `was` is the text in the file. With it, even `[]`, problems have the `value` of their cell.',
          },
          file: { type: 'string' as const, format: 'binary' },
        },
        required: ['file'],
      },
    },
  },
}

const booleanSchema = { type: 'boolean' } as const

const problemSchema = {
  type: 'object' as const,
  properties: {
    line: { type: 'integer' as const },
    column: {},
    message: textSchema,
    value: { ...textSchema, description: 'With `corrections`: the text of the cell in the file, if it has at most 1,000 characters.' },
    cell: { ...textSchema, description: 'For a workbook, such as C17.' },
  },
}

const fileParameters = [
  parameter('delimiter', 'comma, semicolon, tab, pipe or the character itself; found out by itself if left out.'),
  parameter(
    'encoding',
    'utf-8, utf-16le, utf-16be or windows-1252, found out by itself if left out; or windows-1250, windows-1251, macintosh, shift_jis, gbk, euc-kr.',
  ),
  parameter(
    'dates',
    'How the file writes dates: day, month or year first. Only ISO dates are read if left out.',
    wordSchema('dmy', 'mdy', 'ymd'),
  ),
  parameter(
    'decimals',
    'How the file writes numbers: point (1,234.50) or comma (1.234,50), with thousands, currencies and percent signs. Only plain numbers are read if left out.',
    wordSchema('point', 'comma'),
  ),
  parameter(
    'timezone',
    'The zone of moments without an offset, as Europe/Berlin. Such moments are refused if it is left out. Workbooks of Rowhouse tell their own.',
  ),
  parameter(
    'formulas',
    'escape: the file was exported with `formulas=escape` or `for=people`, and the apostrophes that this has put before formulas are removed.',
    wordSchema('keep', 'escape'),
  ),
  parameter('links', 'What the cells of links and users hold: keys or names; either if left out.', wordSchema('keys', 'names')),
  parameter(
    'createLinked',
    'true: for names that no linked record has, records are created in the linked table, where a name is all that they need.',
    booleanSchema,
  ),
  parameter('invalidCells', 'empty: cells that cannot be read are left empty, where the column may be.', wordSchema('refuse', 'empty')),
  parameter('invalidLines', 'skip: lines that cannot be imported are left out.', wordSchema('refuse', 'skip')),
  parameter('header', 'false: the file has no header line, and `columns` names its columns.', booleanSchema),
  parameter('sheet', 'For a workbook (.xlsx), the name of the sheet. By default, the first sheet that is not hidden.'),
  parameter('headerRow', 'For a workbook, the row with the names of the columns, from 1. By default, the first row that is not empty.'),
]

const dryRun = parameter('dryRun', 'true: does everything, tells the result and undoes it.', booleanSchema)

const tableDryRun = parameter(
  'dryRun',
  'true: reads the beginning of the file and shows the guesses. whole: does everything, tells the result and undoes it.',
  wordSchema('false', 'true', 'whole'),
)

const accepted = {
  description:
    'With `Prefer: respond-async`: the file has been read (`running`), or waits until other imports have ended (`queued`). `Location` tells what becomes of it.',
  headers: { location: { schema: textSchema } },
  content: {
    'application/json': {
      schema: {
        type: 'object' as const,
        required: ['id', 'state'],
        properties: { id: textSchema, state: { ...textSchema, enum: ['queued', 'running'] } },
      },
    },
  },
}

export const describeImport = {
  summary: 'Import records from CSV or a workbook (.xlsx)',
  description:
    'All records of the file or none. With `Prefer: respond-async` the answer comes when the file has been sent, and GET /api/v1/imports/{id} tells what becomes of it; where too many imports run, it waits for its turn. Without it such an import is answered with 503.',
  parameters: [
    parameter('mode', '`upsert` changes the records that are there already.', { type: 'string', enum: ['insert', 'upsert'] }),
    parameter('on', 'With mode=upsert: the unique columns that find a record, by comma; the primary key if left out.'),
    parameter('columns', 'Column names by place, in place of the names in the header; an empty one leaves a cell out.'),
    parameter('mapping', 'A JSON object from names of the header to names of columns.'),
    parameter('ignoreUnknown', 'true: names of the header that are no columns are left out.', booleanSchema),
    ...fileParameters,
    dryRun,
    idempotencyKeyParameter,
  ],
  requestBody: file,
  responses: {
    200: {
      description: 'The result of the import.',
      content: {
        'application/json': {
          schema: {
            type: 'object' as const,
            required: ['inserted', 'updated', 'dryRun', 'ignored', 'encoding', 'delimiter'],
            properties: {
              inserted: { type: 'integer' as const },
              updated: { type: 'integer' as const },
              dryRun: booleanSchema,
              ignored: {
                type: 'array' as const,
                items: textSchema,
                description: 'Names of the header that were left out, and columns without a name, with the number of their cells.',
              },
              encoding: textSchema,
              delimiter: textSchema,
              sheet: { ...textSchema, description: 'For a workbook, the sheet that was read.' },
              timezone: { ...textSchema, description: 'For a workbook made by Rowhouse, the time zone of its times.' },
              createdLinks: {
                type: 'array' as const,
                items: {
                  type: 'object' as const,
                  required: ['table', 'count'],
                  properties: { table: textSchema, count: { type: 'integer' as const } },
                },
                description: 'With createLinked, the numbers of records that were created in linked tables.',
              },
              emptied: { type: 'integer' as const, description: 'With invalidCells or invalidLines, the cells that were left empty.' },
              skipped: { type: 'integer' as const, description: 'With invalidCells or invalidLines, the lines that were left out.' },
              problems: { type: 'array' as const, items: problemSchema, description: 'The first hundred reasons, by line.' },
              withoutKey: { type: 'integer' as const, description: 'With mode=upsert, records without a key, each of which was created.' },
              counterAtEnd: { ...textSchema, description: 'The column whose counter has no number after those of the file.' },
            },
          },
        },
      },
    },
    202: accepted,
  },
}

const anyJson = { 'application/json': { schema: { type: 'object' as const } } }

export const describeTableImport = {
  summary: 'Create a table from CSV or a workbook (.xlsx)',
  description:
    'The types of the columns are guessed from the first records and held against all of them; dryRun=true shows the guesses and the first records and makes nothing. ' +
    'The table with all its records, or nothing. `Prefer: respond-async` as for the import into a table.',
  parameters: [
    parameter('name', 'The name of the table; may be a field of the form as well.'),
    parameter(
      'columns',
      'What is to be different: a JSON object from names of the header to {name?, type?, options?, required?, unique?}, or null to leave one out.',
    ),
    parameter(
      'displayColumn',
      'The column of the new table that names a record where others link to it; the first text column if left out. May be a field of the form as well.',
    ),
    ...fileParameters,
    tableDryRun,
    idempotencyKeyParameter,
  ],
  requestBody: file,
  responses: {
    200: {
      description:
        'With dryRun: name, primaryKey, columns (header, name, type, options; nearly: the type of all but a few cells, with cells, misfits, and line and value of the first), encoding, delimiter, dates, decimals, ambiguous; with `true` the first records, with `whole` the number of inserted ones.',
      content: anyJson,
    },
    201: { description: 'The same without records, with the table and the number of inserted records.', content: anyJson },
    202: accepted,
  },
}

export const describeImportState = {
  summary: 'Get the state of an import',
  description: 'For imports with `Prefer: respond-async`. Available for a day, to the user who imported.',
}

export const describeCancel = {
  summary: 'Cancel an import',
  description: 'No record is imported, unless the state in the response is `complete`: then the import had already ended.',
}
