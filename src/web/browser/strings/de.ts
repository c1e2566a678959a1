import { about } from './de/about'
import { account } from './de/account'
import { admin } from './de/admin'
import { columns } from './de/columns'
import { documents } from './de/documents'
import { entry } from './de/entry'
import { grid } from './de/grid'
import { help } from './de/help'
import { home } from './de/home'
import { problems } from './de/problems'
import { record } from './de/record'
import { shell } from './de/shell'
import { tables } from './de/tables'
import { tokens } from './de/tokens'
import { transfer } from './de/transfer'
import type { Strings } from './en'

export const de: Strings = {
  shell,
  entry,
  home,
  grid,
  tables,
  account,
  tokens,
  about,
  problems,
  record,
  columns,
  admin,
  transfer,
  documents,
  help,
}
