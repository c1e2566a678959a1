/** The most rows of a sheet, its head among them. */
export const maxSheetRows = 1_048_576

/** The most columns of a sheet that can be a table: PostgreSQL's own limit. */
export const maxImportColumns = 1600

/** The most columns of a sheet. */
export const maxSheetColumns = 16_384
