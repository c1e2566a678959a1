import { accessMessages } from './access'
import { fileMessages } from './files'
import { formMessages } from './forms'
import { formulaMessages } from './formulas'
import { historyMessages } from './history'
import { linkMessages } from './links'
import { queryMessages } from './queries'
import { recordMessages } from './records'
import { ruleMessages } from './rules'
import { serviceMessages } from './service'
import { tableMessages } from './tables'
import { transferMessages } from './transfer'
import { valueMessages } from './values'

/** The German text of every English template. */
export const german = {
  ...accessMessages,
  ...fileMessages,
  ...formMessages,
  ...formulaMessages,
  ...historyMessages,
  ...linkMessages,
  ...queryMessages,
  ...recordMessages,
  ...ruleMessages,
  ...serviceMessages,
  ...tableMessages,
  ...transferMessages,
  ...valueMessages,
} as const
export type German = typeof german
