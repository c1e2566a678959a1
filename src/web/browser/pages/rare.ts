/** Pages that are opened now and then, fetched together: many small files compress badly, and each is asked for by itself. */
export { AboutPage } from './about/about'
export { AccountPage } from './account/account'
export { SettingsPage } from './account/settings'
export { ImportIntoPage } from './import/into-page'
export { NewTablePage } from './import/new-table-page'
export { AuditPage } from './settings/audit'
export { PluginsPage } from './settings/plugins'
export { UsersPage } from './settings/users'
