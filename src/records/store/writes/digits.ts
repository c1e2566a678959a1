import { parseNumbers } from '../../../exact-json'
import { columnTypes } from '../../../tables/column-types'
import type { Column } from '../../../tables/model'
import type { Payload, RecordBody } from '../../model'

/** The number of significant digits that JavaScript keeps of every number. */
const keptDigits = 15

/** A quick check, which may also match other texts, such as network addresses; its callers check further. */
const mayHaveDigits = (text: string): boolean => /\d[\d.]{15}/.test(text)

/**
 * PostgreSQL reads the digits as the client sent them, and would round those beyond the column's scale. Keys of links
 * may be so large that JavaScript reads two different keys as one number.
 */
export const needsDigits = ({ type, options }: Column): boolean =>
  (columnTypes[type].conversion === columnTypes.decimal.conversion && options.precision !== undefined) || type === 'manyLinks'

/** The bodies to check in columns that need all digits: JavaScript's numbers have lost some. */
export const exactRecords = <Records>({ records, json }: Payload<Records>): Records =>
  mayHaveDigits(json) ? (withDigits(json) as Records) : records

/** Turns numbers with more digits than JavaScript keeps into texts. */
export const withDigits = (text: string) =>
  parseNumbers(text, (value, source) => (source.replace(/e.*/i, '').replace(/\D/g, '').length > keptDigits ? source : value)) as
    | RecordBody
    | RecordBody[]
