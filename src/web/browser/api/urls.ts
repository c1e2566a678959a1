/** A table of the public API. @param tableId its id, or its name */
export const tableAddress = (tableId: string): string => `/api/v1/tables/${encodeURIComponent(tableId)}`

/** Its records. @param query in the grammar of records, encoded already */
export const recordsAddress = (tableId: string, query = ''): string => `${tableAddress(tableId)}/records${query && `?${query}`}`

/** Addresses may also be typed by hand, with the key as it is. */
export const asSegment = (typed: string): string => typed.replace(/%(?![0-9a-f]{2})|[/?#\\]/gi, encodeURIComponent)

/** One record. @param segment `keySegment` of the record */
export const recordAddress = (tableId: string, segment: string): string => `${recordsAddress(tableId)}/${asSegment(segment)}`

export const jsonHeaders = { 'content-type': 'application/json' }
