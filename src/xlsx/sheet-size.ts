/** The maximum number of rows in a sheet, its header included. */
export const maxSheetRows = 1_048_576

/** The maximum number of columns in a sheet that can become a table: PostgreSQL's own limit. */
export const maxImportColumns = 1600

/** The maximum number of columns in a sheet. */
export const maxSheetColumns = 16_384
