import { attachment } from './attachment'
import { boolean } from './boolean'
import { multiSelect, select } from './choices'
import { date } from './date'
import { createdAt, dateTime, updatedAt } from './date-time'
import { decimal } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { float } from './float'
import { email, phone, url } from './formats'
import { formula } from './formula'
import { autoNumber, bigint, integer } from './integers'
import { json, other } from './json'
import { link, manyLinks } from './links'
import { longText, text } from './text'
import { time } from './time'
import { createdBy, updatedBy, user } from './users'
import { uuid } from './uuid'

/** Every type a column can have. A new type is a definition in the file of its family, and a word here. */
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
