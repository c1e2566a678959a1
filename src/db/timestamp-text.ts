/** SQL of a timestamp as in API responses: RFC 3339 in UTC, with milliseconds. */
export const timestampText = (timestamp: string): string =>
  `pg_catalog.to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
