import { t } from 'elysia'
import { translatable } from '../../messages/message'
import type { ColumnTypeDefinition, OptionProblem, Options } from './definition'
import { decimals, shownCurrency } from './options/display'

const strict = { additionalProperties: false }

const Reference = (what: string) => t.String({ minLength: 1, maxLength: 200, description: `Id or name of ${what}.` })

/** Options that the service adds to responses. Clients send all options, so they may send these back. */
const shown = {
  valueType: t.Optional(t.String({ description: 'In responses: the type of the values. Ignored in requests.' })),
  table: t.Optional(t.String({ description: 'In responses: the linked table, if the values are links.' })),
  choices: t.Optional(t.Array(t.Unknown(), { description: 'In responses: all choices, if the values are choices.' })),
  isMany: t.Optional(t.Boolean({ description: 'In responses: whether the value is an array. Ignored in requests.' })),
  sourceDecimals: t.Optional(t.Integer({ description: 'In responses: `decimals` of the source column. Ignored in requests.' })),
  scale: t.Optional(t.Integer({ description: 'In responses: `scale` of the source column. Ignored in requests.' })),
  problem: t.Optional(t.String({ description: 'In responses: why the column has no values. Ignored in requests.' })),
}

/** The options that only responses contain. */
export const shownOptions: readonly string[] = Object.keys(shown)

const linkedFilterOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'in', 'is'] as const

const LinkedFilterValue = t.String({ maxLength: 1000 })

export const LinkedFilter = t.Object(
  {
    column: Reference('the column of the linked records'),
    operator: t.Union(linkedFilterOperators.map((name) => t.Literal(name))),
    value: t.Union([LinkedFilterValue, t.Array(LinkedFilterValue, { minItems: 1, maxItems: 100 })], {
      description: 'As in a filter of the list. For "in" an array; for "is" null, not_null, true or false.',
    }),
    not: t.Optional(t.Boolean({ description: 'Whether the condition is negated. Records without a value then meet it, too.' })),
  },
  strict,
)
export type LinkedFilter = typeof LinkedFilter.static

const linkOption = Reference('the column of this table that links to the records')
const filterOption = t.Optional(
  t.Array(LinkedFilter, { maxItems: 20, description: 'Conditions that a linked record must meet to be counted.' }),
)

/** PostgreSQL has no column of these types: `catalog/computed-columns.ts` makes the SQL of their values. */
const computedDefinition = {
  sqlType: (_options: unknown, targetType = 'text') => targetType,
  problem: () => translatable('is computed from linked records'),
  valueSchema: () => ({ readOnly: true }),
} satisfies Partial<ColumnTypeDefinition>

export const lookup: ColumnTypeDefinition = {
  ...computedDefinition,
  description:
    'The value of a column of the linked record, read anew each time; of several linked records (at most 1,000) an array in the order of their keys.',
  options: t.Object({ link: linkOption, column: Reference('the column of the linked records'), decimals, ...shown }, strict),
}

const rollupFunctions = ['sum', 'avg', 'min', 'max', 'list'] as const
export type RollupFunction = (typeof rollupFunctions)[number]

export const rollup: ColumnTypeDefinition = {
  ...computedDefinition,
  description:
    'The sum (0 for none), average, smallest, largest, or a list by comma of a column of the linked records, computed each time it is read.',
  options: t.Object(
    {
      link: linkOption,
      column: Reference('the column of the linked records'),
      function: t.Union(rollupFunctions.map((name) => t.Literal(name))),
      filter: filterOption,
      decimals,
      ...shown,
    },
    strict,
  ),
}

export const count: ColumnTypeDefinition = {
  ...computedDefinition,
  description: 'The number of linked records, counted at each read.',
  options: t.Object({ link: linkOption, filter: filterOption, ...shown }, strict),
}

const maxFormulaLength = 4000
/** The maximum length of a formula's SQL, which clients send back with the other options. */
const maxCompiledLength = 100_000

const FormulaText = (maxLength: number, description: string) => t.Optional(t.String({ minLength: 1, maxLength, description }))

function sourceProblems({ formula: text, expression }: Options): OptionProblem[] {
  if (text !== undefined) return []
  if (expression === undefined) return [{ path: '/formula', message: translatable('is required') }]
  return String(expression).length > maxFormulaLength ? [{ path: '/expression', message: translatable('is too long') }] : []
}

export const formula: ColumnTypeDefinition = {
  description:
    'Computed from other columns of the record by a formula as in a spreadsheet, or by an expression of SQL; stored by the database, or computed at each read if it uses more than values of the record.',
  options: t.Object(
    {
      formula: FormulaText(maxFormulaLength, 'As "{Price} * {Amount}". docs/tables.md lists what it may use.'),
      expression: FormulaText(
        maxCompiledLength,
        'The same in SQL, as "price * amount", of at most 4000 characters. With a formula, responses have that formula as SQL here, and requests ignore it.',
      ),
      valueType: t.Optional(t.String({ description: 'In responses: the type of the result. Ignored in requests.' })),
      atRead: t.Optional(
        t.Boolean({
          description: 'In responses: true if the values are computed at each read, and not stored. Ignored in requests.',
        }),
      ),
      problem: shown.problem,
      decimals,
      currency: shownCurrency,
    },
    { additionalProperties: false },
  ),
  optionProblems: sourceProblems,
  sqlType: (_options, targetType = 'text') => targetType,
  problem: () => translatable('is computed by the database'),
  valueSchema: () => ({ readOnly: true }),
}
