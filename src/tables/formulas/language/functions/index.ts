import { dateFunctions } from './dates'
import type { FormulaFunction } from './function'
import { logicFunctions } from './logic'
import { numberFunctions } from './numbers'
import { textFunctions } from './text'

const functions = { ...logicFunctions, ...textFunctions, ...numberFunctions, ...dateFunctions }

export type FormulaFunctionName = keyof typeof functions

/** By upper-case name, in the order of their help. */
export const formulaFunctions: Readonly<Record<string, FormulaFunction>> = functions
