import { t } from 'elysia'
import { translatable } from '../../messages/message'
import type { ColumnTypeDefinition, Options, Rule } from './definition'

type AttachmentOptions = { maxFiles?: number; accept?: string[] }

const rules = (value: string, options: Options): Rule[] => {
  const { maxFiles } = options as AttachmentOptions
  // jsonb_array_length fails for anything but an array, and only `case` guarantees the order of evaluation.
  const length = maxFiles === undefined ? 'true' : `jsonb_array_length(${value}) <= ${maxFiles}`
  return [
    {
      name: 'shape',
      condition: `case when jsonb_typeof(${value}) = 'array' then ${length} else false end`,
      message:
        maxFiles === undefined ? translatable('must be a list of files') : translatable('must have at most {maxFiles} files', { maxFiles }),
    },
  ]
}

export const attachment: ColumnTypeDefinition = {
  description: 'Files. They are uploaded to the record; maxFiles and accept (types of files, as image/* or .pdf) say which.',
  options: t.Object(
    {
      maxFiles: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
      accept: t.Optional(
        t.Array(t.String({ pattern: '^([a-z0-9.+-]+/([a-z0-9.+-]+|[*])|[.][A-Za-z0-9]+)$', maxLength: 100 }), {
          minItems: 1,
          maxItems: 50,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  sqlType: () => 'jsonb',
  problem: () => translatable('is filled by uploads'),
  rules,
  valueSchema: () => ({ type: 'array', items: { type: 'object' }, readOnly: true }),
  fixedDefault: `'[]'::jsonb`,
}
