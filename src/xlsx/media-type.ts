export const workbookMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
