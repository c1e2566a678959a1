import { about } from './de/about'
import { account } from './de/account'
import { columns } from './de/columns'
import { entry } from './de/entry'
import { grid } from './de/grid'
import { home } from './de/home'
import { problems } from './de/problems'
import { record } from './de/record'
import { shell } from './de/shell'
import { tables } from './de/tables'
import { tokens } from './de/tokens'
import type { Strings } from './en'

export const de: Strings = { shell, entry, home, grid, tables, account, tokens, about, problems, record, columns }
