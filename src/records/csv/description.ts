const text = { type: 'string' } as const

const parameter = (name: string, description: string, schema: object = text) =>
  ({ name, in: 'query', required: false, schema, description }) as const

export const describeExport = {
  summary: 'Export records as CSV',
  description:
    'The rows of one moment, as many as there are, with the filters, `select`, `order`, `limit` and `offset` of the record list. ' +
    'A failure after the first byte breaks the connection. GET /api/v1/exports/{id} tells whether all of it was sent.',
  parameters: [
    parameter('delimiter', 'comma (default), semicolon, tab, pipe, or the character itself.'),
    parameter('formulas', '`escape` puts an apostrophe before cells that a spreadsheet would take for a formula.', {
      type: 'string',
      enum: ['keep', 'escape'],
    }),
    parameter('bom', '1 begins the file with a byte order mark, by which Excel knows UTF-8.', { type: 'string', enum: ['0', '1'] }),
  ],
  responses: {
    200: {
      description: 'The file (RFC 4180), with a header line.',
      headers: {
        'X-Export-Id': { schema: text, description: 'For GET /api/v1/exports/{id}.' },
        'Content-Disposition': { schema: text, description: 'An attachment with the name of the table.' },
      },
      content: { 'text/csv': { schema: text } },
    },
  },
}

export const describeExportState = {
  summary: 'What became of an export',
  description: 'For a day, and for whoever started it.',
}
