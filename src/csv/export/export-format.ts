/** How an export is written. What the functions return is sent; it may be empty. */
export type ExportFormat = {
  /** The options of `copy … to stdout`. */
  copyOptions: string
  /** The most records of a file; undefined where there is no limit. */
  maxRecords?: number
  begin: () => Uint8Array | Promise<Uint8Array>
  /** @param chunk whole rows, as PostgreSQL sends them */
  write: (chunk: Buffer) => Uint8Array | Promise<Uint8Array>
  end: () => Uint8Array | Promise<Uint8Array>
}
