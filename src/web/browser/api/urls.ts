/** The URL of a table. @param tableId its id or its name */
export const tableUrl = (tableId: string): string => `/api/v1/tables/${encodeURIComponent(tableId)}`

/** The URL of a table's records. @param query an encoded query string */
export const recordsUrl = (tableId: string, query = ''): string => `${tableUrl(tableId)}/records${query && `?${query}`}`

/** Users may type a URL by hand, with an unencoded key. */
export const toPathSegment = (typed: string): string => typed.replace(/%(?![0-9a-f]{2})|[/?#\\]/gi, encodeURIComponent)

/** The URL of a record. @param segment `keySegment` of the record */
export const recordUrl = (tableId: string, segment: string): string => `${recordsUrl(tableId)}/${toPathSegment(segment)}`

/** The URL of the files in a cell. */
export const attachmentsUrl = (tableId: string, segment: string, columnId: string): string =>
  `${recordUrl(tableId, segment)}/attachments/${columnId}`

/** Proxies refuse longer URLs: nginx accepts 8 KB for the whole request line. */
export const maxUrlLength = 6000

export const jsonHeaders = { 'content-type': 'application/json' }
