import { about } from './en/about'
import { account } from './en/account'
import { admin } from './en/admin'
import { backups } from './en/backups'
import { columnStrings } from './en/columns'
import { documentStrings } from './en/documents'
import { entry } from './en/entry'
import { filterStrings } from './en/filter'
import { grid } from './en/grid'
import { help } from './en/help'
import { historyStrings } from './en/history'
import { home } from './en/home'
import { problems } from './en/problems'
import { record } from './en/record'
import { access } from './en/sharing/access'
import { formStrings } from './en/sharing/forms'
import { groupStrings } from './en/sharing/groups'
import { linkStrings } from './en/sharing/links'
import { shell } from './en/shell'
import { tableStrings } from './en/tables'
import { tokenStrings } from './en/tokens'
import { transfer } from './en/transfer'

/** All strings of the UI. Every other language must have the same keys. */
export const en = {
  access,
  shell,
  entry,
  home,
  grid,
  filter: filterStrings,
  tables: tableStrings,
  account,
  tokens: tokenStrings,
  about,
  problems,
  record,
  columns: columnStrings,
  admin,
  forms: formStrings,
  groups: groupStrings,
  backups,
  transfer,
  documents: documentStrings,
  help,
  links: linkStrings,
  history: historyStrings,
}

export type Strings = typeof en
