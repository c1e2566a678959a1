import { bigint } from './bigint'
import { boolean } from './boolean'
import { date } from './date'
import { dateTime } from './date-time'
import { decimal } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { integer } from './integer'
import { json } from './json'
import { other } from './other'
import { text } from './text'
import { uuid } from './uuid'

/** Every type a column can have. A new type is a file beside this one and a word here. */
export const columnTypes = { text, integer, bigint, decimal, boolean, date, dateTime, json, uuid, other } satisfies Record<
  string,
  ColumnTypeDefinition
>

export type ColumnTypeName = keyof typeof columnTypes

/** What a new column can be. */
export const columnTypeNames = (Object.keys(columnTypes) as ColumnTypeName[]).filter((name) => name !== 'other')
