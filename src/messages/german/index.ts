import { accessMessages } from './access'
import { fileMessages } from './files'
import { formulaMessages } from './formulas'
import { queryMessages } from './queries'
import { recordMessages } from './records'
import { serviceMessages } from './service'
import { tableMessages } from './tables'
import { transferMessages } from './transfer'
import { valueMessages } from './values'

/** The German text of every English template. */
export const german = {
  ...accessMessages,
  ...fileMessages,
  ...formulaMessages,
  ...queryMessages,
  ...recordMessages,
  ...serviceMessages,
  ...tableMessages,
  ...transferMessages,
  ...valueMessages,
} as const
export type German = typeof german
