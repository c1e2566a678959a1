/**
 * Pages and dialogs outside the initial bundle, loaded as one file: many small files compress badly, and each needs a
 * request.
 */
export { AboutPage } from './about/about'
export { AccountPage } from './account/account'
export { SettingsPage } from './account/settings'
export { ColumnDialog } from './columns/column-dialog'
export { ColumnsPage } from './columns/columns'
export { DeleteColumnDialog } from './columns/delete-column-dialog'
export { duplicateColumn } from './columns/duplicate-column'
export { DocumentPage } from './documents/document'
export { DocumentsPage } from './documents/documents'
export { FilterBuilder } from './grid/page/filter/filter-builder'
export { ImportIntoPage } from './import/import-page'
export { ImportNewTablePage as NewTablePage } from './import/new-table-page'
export { NewRecordPage } from './record/form/new-record'
export { RecordPage } from './record/form/record-page'
export { RecordPanel } from './record/form/record-panel'
export { AuditPage } from './settings/audit'
export { BackupsPage } from './settings/backups'
export { PluginsPage } from './settings/plugins'
export { SchemasPage } from './settings/schemas'
export { UsersPage } from './settings/users'
