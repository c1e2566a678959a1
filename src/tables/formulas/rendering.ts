import { type Message, translatable } from '../../messages/message'
import { nearest } from '../nearest'
import { identifier, literal } from '../sql-text'
import { allowedFunctions, allowedOperators, allowedTypes, lengthArguments, maxPaddedLength, replacementArguments } from './allowed'
import { growthOfCall, Unbounded } from './growth'
import { type Node, nodeOf } from './parser'

/** A formula with a forbidden construct. `offset` is the parser's, in bytes, if it is known. */
export class Forbidden extends Error {
  constructor(
    readonly text: Message,
    readonly offset: number | null,
  ) {
    super(String(text))
  }
}

/** @param name the name as the expression spells it @returns SQL for it */
export type ColumnName = (name: string, offset: number) => string

/**
 * A syntax tree → SQL of our own: only listed constructs are written, every function and operator is PostgreSQL's own
 * whatever the search path, every name is quoted and every constant is a literal. Everything else is refused.
 * @throws Forbidden
 */
export function render(tree: Node, columnName: ColumnName): string {
  const sql = (value: unknown): string => write(nodeOf(value))
  const list = (values: unknown): string => (values as unknown[]).map(sql).join(', ')

  const writers: Record<string, (fields: Record<string, unknown>) => string> = {
    ColumnRef: (fields) => column(fields),
    A_Const: constant,
    A_Expr: (fields) => operation(fields),
    BoolExpr: ({ boolop, args }) => {
      const parts = (args as unknown[]).map(sql)
      return boolop === 'NOT_EXPR' ? `(not ${parts[0]})` : `(${parts.join(boolop === 'OR_EXPR' ? ' or ' : ' and ')})`
    },
    NullTest: ({ arg, nulltesttype }) => `(${sql(arg)} is ${nulltesttype === 'IS_NOT_NULL' ? 'not ' : ''}null)`,
    BooleanTest: ({ arg, booltesttype }) => `(${sql(arg)} ${String(booltesttype).toLowerCase().replaceAll('_', ' ')})`,
    CaseExpr: ({ arg, args, defresult }) => {
      const branches = (args as unknown[]).map((branch) => nodeOf(branch).fields)
      const cases = branches.map(({ expr, result }) => ` when ${sql(expr)} then ${sql(result)}`)
      return `(case${arg ? ` ${sql(arg)}` : ''}${cases.join('')}${defresult ? ` else ${sql(defresult)}` : ''} end)`
    },
    CoalesceExpr: ({ args }) => `coalesce(${list(args)})`,
    MinMaxExpr: ({ op, args }) => `${op === 'IS_LEAST' ? 'least' : 'greatest'}(${list(args)})`,
    FuncCall: (fields) => call(fields),
    TypeCast: ({ arg, typeName, location }) => `cast(${sql(arg)} as ${typeNameOf(typeName as Record<string, unknown>, location)})`,
    A_ArrayExpr: ({ elements }) => `array[${list(elements ?? [])}]`,
    A_Indirection: ({ arg, indirection }) => `(${sql(arg)})${(indirection as unknown[]).map((step) => subscript(nodeOf(step))).join('')}`,
  }

  function write({ kind, fields }: Node): string {
    const writer = Object.hasOwn(writers, kind) ? writers[kind] : undefined
    if (!writer) throw new Forbidden(translatable('uses something that is not allowed in a formula'), offsetOf(fields))
    return writer(fields)
  }

  function column(fields: Record<string, unknown>): string {
    const names = (fields.fields as unknown[]).map(nodeOf)
    const [name] = names
    if (names.length !== 1 || name?.kind !== 'String')
      throw new Forbidden(translatable('may name only columns of its own table, without the name of the table'), offsetOf(fields))
    return columnName(String(name.fields.sval ?? ''), offsetOf(fields) ?? 0)
  }

  function operation(fields: Record<string, unknown>): string {
    const { kind, lexpr, rexpr } = fields
    const operator = operatorOf(fields)
    const [left, right] = kind === 'AEXPR_OP' || kind === 'AEXPR_LIKE' || kind === 'AEXPR_ILIKE' ? [lexpr && sql(lexpr), sql(rexpr)] : []
    switch (kind) {
      case 'AEXPR_OP':
      case 'AEXPR_LIKE':
      case 'AEXPR_ILIKE':
        return left ? `(${left} ${operator} ${right})` : `(${operator} ${right})`
      case 'AEXPR_OP_ANY':
      case 'AEXPR_OP_ALL':
        return `(${sql(lexpr)} ${operator} ${kind === 'AEXPR_OP_ANY' ? 'any' : 'all'} (${sql(rexpr)}))`
      case 'AEXPR_DISTINCT':
      case 'AEXPR_NOT_DISTINCT':
        return `(${sql(lexpr)} is ${kind === 'AEXPR_NOT_DISTINCT' ? 'not ' : ''}distinct from ${sql(rexpr)})`
      case 'AEXPR_NULLIF':
        return `nullif(${sql(lexpr)}, ${sql(rexpr)})`
      case 'AEXPR_IN':
        return `(${sql(lexpr)} ${columnNameOf(fields.name) === '<>' ? 'not ' : ''}in (${list(nodeOf(rexpr).fields.items)}))`
      case 'AEXPR_BETWEEN':
      case 'AEXPR_NOT_BETWEEN': {
        const [from, to] = (nodeOf(rexpr).fields.items as unknown[]).map(sql)
        return `(${sql(lexpr)} ${kind === 'AEXPR_NOT_BETWEEN' ? 'not ' : ''}between ${from} and ${to})`
      }
    }
    throw new Forbidden(translatable('uses something that is not allowed in a formula'), offsetOf(fields))
  }

  function call(fields: Record<string, unknown>): string {
    const { funcname, args = [], funcformat: _, location: __, ...extras } = fields
    const name = columnNameOf(funcname)
    if (schemaOf(funcname) !== 'pg_catalog' || !allowedFunctions.has(name)) throw new Forbidden(forbiddenFunction(name), offsetOf(fields))
    // A function of a single row has no `distinct`, `order by`, `filter`, `over` or `variadic`.
    if (Object.keys(extras).length)
      throw new Forbidden(translatable('calls a function in a way that is not allowed in a formula'), offsetOf(fields))
    if (Object.hasOwn(replacementArguments, name)) requireBoundedGrowth(name, args as unknown[], offsetOf(fields))
    if (Object.hasOwn(lengthArguments, name)) requireBoundedLength(args as unknown[], lengthArguments[name]!, offsetOf(fields))
    return `pg_catalog.${identifier(name)}(${list(args)})`
  }

  function subscript({ kind, fields }: Node): string {
    if (kind !== 'A_Indices' || fields.is_slice) throw new Forbidden(translatable('uses something that is not allowed in a formula'), null)
    return `[${sql(fields.uidx)}]`
  }

  return write(tree)
}

const offsetOf = ({ location }: Record<string, unknown>): number | null => (typeof location === 'number' && location > 0 ? location : null)

const columnNameOf = (names: unknown): string => String(nodeOf((names as unknown[]).at(-1)).fields.sval ?? '')

/** PostgreSQL's own schema for a name without one. */
const schemaOf = (names: unknown): string =>
  (names as unknown[]).length > 1 ? String(nodeOf((names as unknown[])[0]).fields.sval) : 'pg_catalog'

const forbiddenFunction = (name: string): Message => {
  const similar = nearest(name, [...allowedFunctions])
  return similar === undefined
    ? translatable('uses a function that is not allowed in a formula')
    : translatable('uses a function that is not allowed in a formula; did you mean "{similar}"?', { similar })
}

/** Only plain operators, and those of PostgreSQL's own schema. */
function operatorOf(fields: Record<string, unknown>): string {
  const name = columnNameOf(fields.name)
  if (name === 'BETWEEN' || name === 'NOT BETWEEN') return ''
  if (schemaOf(fields.name) !== 'pg_catalog' || !allowedOperators.has(name)) {
    throw new Forbidden(translatable('uses an operator that is not allowed in a formula'), offsetOf(fields))
  }
  return `operator(pg_catalog.${name})`
}

function constant(fields: Record<string, unknown>): string {
  const { isnull, ival, fval, sval, boolval } = fields as Record<string, Record<string, unknown> | undefined>
  if (isnull) return 'null'
  if (ival) return numberText(String(ival.ival ?? 0), fields)
  if (fval) return numberText(String(fval.fval), fields)
  if (sval) return literal(String(sval.sval ?? '')).trim()
  if (boolval) return boolval.boolval ? 'true' : 'false'
  throw new Forbidden(translatable('uses a constant that is not allowed in a formula'), offsetOf(fields))
}

function numberText(text: string, fields: Record<string, unknown>): string {
  if (!/^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(text))
    throw new Forbidden(translatable('uses a number that is not written in digits'), offsetOf(fields))
  return text.startsWith('-') ? `(${text})` : text
}

function typeNameOf({ names, typmods, arrayBounds, setof, pct_type }: Record<string, unknown>, location: unknown): string {
  const name = columnNameOf(names)
  const isKnown = schemaOf(names) === 'pg_catalog' && Object.hasOwn(allowedTypes, name) && !setof && !pct_type
  if (!isKnown) throw new Forbidden(translatable('uses a type that is not allowed in a formula'), offsetOf({ location }))
  const modifiers = ((typmods as unknown[]) ?? []).map((modifier) => constant(nodeOf(modifier).fields))
  // The modifier of an interval is a set of fields, encoded as a number.
  if (modifiers.length && !['numeric', 'varchar', 'bpchar'].includes(name))
    throw new Forbidden(translatable('uses a type that is not allowed in a formula'), offsetOf({ location }))
  return `${allowedTypes[name]}${modifiers.length ? `(${modifiers.join(', ')})` : ''}${arrayBounds ? '[]' : ''}`
}

function requireBoundedGrowth(name: string, args: unknown[], offset: number | null): void {
  try {
    growthOfCall(name, args)
  } catch (error) {
    if (error instanceof Unbounded) throw new Forbidden(error.text, offset)
    throw error
  }
}

function requireBoundedLength(args: unknown[], place: number, offset: number | null): void {
  const { kind, fields } = nodeOf(args[place] ?? {})
  const length = kind === 'A_Const' ? Number((fields.ival as { ival?: number } | undefined)?.ival ?? Number.NaN) : Number.NaN
  if (!(length <= maxPaddedLength))
    throw new Forbidden(translatable('needs a constant length of at most {maxPaddedLength}', { maxPaddedLength }), offset)
}
