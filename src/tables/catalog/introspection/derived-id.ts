/**
 * The id of a table or column that Rowhouse did not make: a UUID of version 8 (RFC 9562, section 5.8), derived from the
 * name. So it is the same on every instance, and after a dump and restore.
 * @param path schema, table and, for a column, its name
 */
export function derivedId(...path: string[]): string {
  const bytes = new Bun.CryptoHasher('sha256').update(JSON.stringify(path)).digest().subarray(0, 16)
  bytes[6] = 0x80 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
