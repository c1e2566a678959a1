/**
 * The id of a table or column that Rowhouse did not make: a UUID of version 8 (RFC 9562, section 5.8) from its name, so
 * that every instance says the same, and a database that was dumped and restored too.
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
