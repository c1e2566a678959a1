import { about } from './de/about'
import { account } from './de/account'
import { admin } from './de/admin'
import { backups } from './de/backups'
import { columnStrings } from './de/columns'
import { documentStrings } from './de/documents'
import { entry } from './de/entry'
import { filterStrings } from './de/filter'
import { grid } from './de/grid'
import { help } from './de/help'
import { historyStrings } from './de/history'
import { home } from './de/home'
import { problems } from './de/problems'
import { record } from './de/record'
import { access } from './de/sharing/access'
import { formStrings } from './de/sharing/forms'
import { groupStrings } from './de/sharing/groups'
import { linkStrings } from './de/sharing/links'
import { shell } from './de/shell'
import { tableStrings } from './de/tables'
import { tokenStrings } from './de/tokens'
import { transfer } from './de/transfer'
import type { Strings } from './en'

export const de: Strings = {
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
