/** The property in which our workbooks store the zone of their timestamps (ECMA-376 part 1, 22.3). */
export const timeZoneProperty = 'Rowhouse time zone'

/** Spreadsheets keep it when they save the workbook. */
export const customPropertiesPath = 'docProps/custom.xml'

export const customPropertiesXml = (timeZone: string): string =>
  `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="${timeZoneProperty}"><vt:lpwstr>${timeZone}</vt:lpwstr></property></Properties>`
