/** How an export is written. The results of the functions are sent; they may be empty. */
export type ExportFormat = {
  /** The options of `copy … to stdout`. */
  copyOptions: string
  /** The maximum number of records in a file; undefined without a limit. */
  maxRecords?: number
  begin: () => Uint8Array | Promise<Uint8Array>
  /** @param chunk whole rows, as PostgreSQL sends them */
  write: (chunk: Buffer) => Uint8Array | Promise<Uint8Array>
  end: () => Uint8Array | Promise<Uint8Array>
}
