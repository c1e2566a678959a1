import { t } from 'elysia'
import { FileView } from '../attachments/model'
import { documentFormats } from './render/job'
import { renderRequestSchema } from './render-request'

const word = { type: 'string' } as const
const inJson = (schema: object) => ({ 'application/json': { schema } })
const formats = Object.keys(documentFormats)
const mediaTypes = Object.values(documentFormats).map(({ type }) => type.split(';')[0]!)
const parametersSchema = { type: 'object', additionalProperties: true } as const

const Listed = t.Object({
  plugin: t.String(),
  template: t.String(),
  title: t.String(),
  public: t.Boolean(),
  formats: t.Array(t.String()),
  params: t.Unknown({ description: 'The JSON Schema of the parameters; null if there are none.' }),
  for: t.Unknown({
    description: 'The records that it takes: `{table, key}`, with the id of the table, or `{tableParam, key}`; null if it takes none.',
  }),
})

const Saved = t.Object({
  file: FileView,
  templateHash: t.String(),
  recordVersion: t.String(),
  missingCharacters: t.Optional(t.Array(t.Unknown(), { description: 'Characters that no font has.' })),
})

const made = {
  description: 'The document.',
  headers: {
    'Content-Disposition': { schema: word, description: 'Its name, and whether browsers display it.' },
    'Rowhouse-Missing-Characters': { schema: word, description: 'Characters that no font has: percent-encoded JSON.' },
  },
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
}

const parameters = [
  {
    name: 'format',
    in: 'query',
    required: false,
    schema: { ...word, enum: formats },
    description: 'By default, the first format of the template.',
  },
  {
    ...{ name: 'language', in: 'query', required: false, schema: word },
    description: 'The language of its texts, as in Accept-Language. A parameter of the template with this name takes precedence.',
  },
  {
    ...{ name: 'params', in: 'query', required: false, style: 'form', explode: true, schema: parametersSchema },
    description: 'The parameters of the template, each by its own name.',
  },
]

export const describeList = {
  summary: 'List the templates that the caller may use, with the schemas of their parameters',
  responses: { 200: { description: 'The templates.', content: inJson(t.Object({ documents: t.Array(Listed) })) } },
}

export const describeMaking = {
  summary: 'Create a document; the query contains the parameters, `format` and `language`',
  parameters,
  responses: { 200: made },
}

export const describePostedMaking = {
  summary: 'Create a document from `{format?, params?, saveTo?}`, or from the parameters as a form',
  parameters,
  requestBody: {
    required: false,
    content: { ...inJson(renderRequestSchema), 'application/x-www-form-urlencoded': { schema: parametersSchema } },
  },
  responses: { 200: made, 201: { description: 'With `saveTo`: the file in the record.', content: inJson(Saved) } },
}
