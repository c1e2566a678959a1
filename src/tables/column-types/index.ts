import { email, phone, url } from './addresses'
import { attachment } from './attachment'
import { boolean } from './boolean'
import { multiSelect, select } from './choices'
import { count, formula, lookup, rollup } from './computed'
import { date } from './date'
import { createdAt, dateTime, updatedAt } from './date-time'
import { currency, decimal, percent } from './decimal'
import type { ColumnTypeDefinition } from './definition'
import { type ColumnTypeDescriptor, type ColumnTypeName, columnTypeDescriptors } from './descriptors'
import { float } from './float'
import { autoNumber, bigint, integer, rating } from './integers'
import { json, other } from './json'
import { link, manyLinks, reverseLinks } from './links'
import { longText, text } from './text'
import { duration, time } from './time'
import { createdBy, updatedBy, user } from './users'
import { uuid } from './uuid'

/**
 * Every type that a column can have. A new type needs an entry in `descriptors.ts`, a definition in the file of its
 * family, and an entry here. TypeScript requires all three, the type's name in each language of the web UI, its icon,
 * and a reader for formulas (`formulas/language/value.ts`).
 * TypeScript does not require the following, which treat an unknown type as text or leave it out:
 * - `tables/`: `column-types/descriptors.ts` (`shortTypes`, `namingTypes`, `wholeTypes`), `units.ts` (texts with
 *   units), `catalog/introspection/to-column-type.ts` (columns of adopted tables) and `constant-default.ts`
 *   (defaults as JSON), `catalog/computed-columns.ts` (`summed`), `definitions/table-description.ts`
 *   (`notInKeys`), `definitions/conversion/column-conversion.ts` (`writtenNumbers`), `formulas/value-types.ts`
 *   (results of formulas) and `operands.ts` (`averageTypes`)
 * - `records/`: `query/type-families.ts` (operators for a PostgreSQL type that no other column type has),
 *   `query/plan/search.ts` (what `q` searches), `store/unusual-keys.ts` (keys of adopted tables),
 *   `display/value-text.ts` (texts of documents and shared pages)
 * - `csv/import/`: `new-table/guess.ts` and `near-type.ts` (tables made from a file), `values.ts` (cells),
 *   `problems/expectation.ts` (the messages about them), `notation-sql.ts` (spreadsheets)
 * - `csv/export/`: `people.ts`, `workbook-format.ts` and `column-number-format.ts`; `xlsx/writer.ts` and
 *   `number-formats.ts`
 * - `forms/`: `field-types.ts` (columns that a form may ask for), `values.ts`, `decimal-marks.ts`,
 *   `page/inputs.ts`, `form-text.ts` and `form-script.ts`; `links/page/values.ts` (shared records)
 * - `plugins/sdk/table-types.ts`
 * - `web/browser/`: `values/decimal.ts` (typed and displayed numbers), `records/filters/filter-operators.ts` and
 *   `rule-problems.ts` (`wholeTypes`), `records/values/cell-text.ts`, `pages/columns/options/option-fields.tsx`
 *   and `linked-options.tsx` (rollups), `fields/field.tsx`, `field-value.tsx`, `field-draft.ts` and `fields.tsx`
 *   (`wideTypes`), `fields/cells/cell.tsx`, `pages/grid/edit/cell-input.ts`,
 *   `pages/grid/page/summary/selection-summary.tsx` (`unitTypes`), `pages/import/plan-column.tsx`
 */
const definitions = {
  text,
  longText,
  integer,
  bigint,
  decimal,
  currency,
  percent,
  float,
  rating,
  duration,
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
  reverseLinks,
  lookup,
  rollup,
  count,
  user,
  autoNumber,
  createdAt,
  updatedAt,
  createdBy,
  updatedBy,
  formula,
  other,
} satisfies Record<ColumnTypeName, ColumnTypeDefinition>

export type { ColumnTypeName }
export type ColumnType = ColumnTypeDescriptor & ColumnTypeDefinition

const names = Object.keys(definitions) as ColumnTypeName[]

export const columnTypes = Object.fromEntries(
  names.map((name): [string, ColumnType] => [name, { ...columnTypeDescriptors[name], ...definitions[name] }]),
) as Record<ColumnTypeName, ColumnType>

/** The types that a new column can have. */
export const columnTypeNames = names.filter((name) => name !== 'other')
