import { translatable } from '../../../../messages/message'
import { compared } from '../operators'
import { problemAtOffset } from '../tokens'
import { blankValue, choice, type FormulaValue, toCondition, value } from '../value'
import type { FormulaFunction, FunctionCall } from './function'

const joined =
  (word: 'and' | 'or') =>
  (args: FormulaValue[], { at }: FunctionCall) =>
    value('boolean', at, `(${args.map(toCondition).join(` ${word} `)})`)

/** Takes pairs of a condition and a value, and a last value for the case that no condition is true. */
function firstOf(
  pairs: readonly (readonly [condition: string, value: FormulaValue])[],
  last: FormulaValue,
  { at, name }: FunctionCall,
): FormulaValue {
  return pairs.reduceRight((rest, [condition, found]) => choice(condition, found, rest, at, name), last)
}

function pairsOf<Item>(items: readonly Item[]): [Item, Item][] {
  return Array.from({ length: Math.floor(items.length / 2) }, (_, at) => [items[2 * at]!, items[2 * at + 1]!])
}

function firstTrue(args: FormulaValue[], call: FunctionCall): FormulaValue {
  if (args.length % 2) throw problemAtOffset(translatable('needs a value after each condition of "{name}"', { name: call.name }), call)
  return firstOf(
    pairsOf(args).map(([condition, found]) => [toCondition(condition), found]),
    blankValue(call.at),
    call,
  )
}

function firstEqual([operand, ...rest]: FormulaValue[], call: FunctionCall): FormulaValue {
  const last = rest.length % 2 ? rest.at(-1)! : blankValue(call.at)
  return firstOf(
    pairsOf(rest).map(([candidate, found]) => [toCondition(compared('=', operand!, candidate, candidate.at)), found]),
    last,
    call,
  )
}

const isBlank = ({ type, sql }: FormulaValue): string => (type === 'text' ? `(nullif(${sql}, '') is null)` : `(${sql} is null)`)

/** The first of two values that is not empty. */
function orElse([operand, other]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  return choice(isBlank(operand!), other!, operand!, at, name)
}

export const logicFunctions = {
  IF: {
    min: 2,
    max: 3,
    make: ([condition, yes, no], { at, name }) => choice(toCondition(condition!), yes!, no ?? blankValue(at), at, name),
  },
  IFS: { min: 2, max: 200, make: firstTrue },
  SWITCH: { min: 3, max: 200, make: firstEqual },
  AND: { min: 1, max: 200, make: joined('and') },
  OR: { min: 1, max: 200, make: joined('or') },
  XOR: {
    min: 1,
    max: 200,
    make: (args, { at }) =>
      value(
        'boolean',
        at,
        args.map(toCondition).reduce((one, other) => `(${one} <> ${other})`),
      ),
  },
  NOT: { min: 1, max: 1, make: ([condition], { at }) => value('boolean', at, `(not ${toCondition(condition!)})`) },
  TRUE: { min: 0, max: 0, make: (_args, { at }) => value('boolean', at, 'true') },
  FALSE: { min: 0, max: 0, make: (_args, { at }) => value('boolean', at, 'false') },
  BLANK: { min: 0, max: 0, make: (_args, { at }) => blankValue(at) },
  ISBLANK: { min: 1, max: 1, make: ([operand], { at }) => value('boolean', at, isBlank(operand!)) },
  IFBLANK: { min: 2, max: 2, make: orElse },
  IFERROR: { min: 2, max: 2, make: orElse },
} satisfies Record<string, FormulaFunction>
