import { about } from './en/about'
import { account } from './en/account'
import { admin } from './en/admin'
import { columns } from './en/columns'
import { documents } from './en/documents'
import { entry } from './en/entry'
import { grid } from './en/grid'
import { help } from './en/help'
import { home } from './en/home'
import { problems } from './en/problems'
import { record } from './en/record'
import { shell } from './en/shell'
import { tables } from './en/tables'
import { tokens } from './en/tokens'
import { transfer } from './en/transfer'

/** All strings of the UI. Every other language must have the same keys. */
export const en = { shell, entry, home, grid, tables, account, tokens, about, problems, record, columns, admin, transfer, documents, help }

export type Strings = typeof en
