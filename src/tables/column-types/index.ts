import { attachment } from './attachment'
import { autoNumber } from './auto-number'
import { bigint } from './bigint'
import { boolean } from './boolean'
import { createdAt } from './created-at'
import { createdBy } from './created-by'
import { date } from './date'
import { dateTime } from './date-time'
import { decimal } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { email } from './email'
import { float } from './float'
import { formula } from './formula'
import { integer } from './integer'
import { json } from './json'
import { link } from './link'
import { longText } from './long-text'
import { manyLinks } from './many-links'
import { multiSelect } from './multi-select'
import { other } from './other'
import { phone } from './phone'
import { select } from './select'
import { text } from './text'
import { time } from './time'
import { updatedAt } from './updated-at'
import { updatedBy } from './updated-by'
import { url } from './url'
import { user } from './user'
import { uuid } from './uuid'

/** Every type a column can have. A new type is a file beside this one and a word here. */
const definitions = {
  text,
  longText,
  integer,
  bigint,
  decimal,
  float,
  boolean,
  date,
  time,
  dateTime,
  json,
  uuid,
  email,
  url,
  phone,
  select,
  multiSelect,
  attachment,
  link,
  manyLinks,
  user,
  autoNumber,
  createdAt,
  updatedAt,
  createdBy,
  updatedBy,
  formula,
  other,
}

export type ColumnTypeName = keyof typeof definitions

export const columnTypes: Record<ColumnTypeName, ColumnTypeDefinition> = definitions

/** What a new column can be. */
export const columnTypeNames = (Object.keys(columnTypes) as ColumnTypeName[]).filter((name) => name !== 'other')
