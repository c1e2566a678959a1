import { about } from './de/about'
import { account } from './de/account'
import { admin } from './de/admin'
import { entry } from './de/entry'
import { home } from './de/home'
import { problems } from './de/problems'
import { shell } from './de/shell'
import { tables } from './de/tables'
import { tokens } from './de/tokens'
import { transfer } from './de/transfer'
import type { Strings } from './en'

export const de: Strings = { shell, entry, home, tables, account, tokens, admin, transfer, about, problems }
