import { type Message, translatable } from '../../messages/message'
import { maxGrowthBytes, replacementArguments } from './allowed'
import { type Node, nodeOf } from './parser'

/** A formula whose result may be longer than the values of the record by an unpredictable amount. */
export class Unbounded extends Error {
  constructor(readonly text: Message) {
    super(String(text))
  }
}

/**
 * The maximum ratio of the result's length to the record's longest value. Numbers are left out: PostgreSQL limits them.
 * @param name of a function, as PostgreSQL calls it
 * @throws Unbounded
 */
export function growthOfCall(name: string, args: readonly unknown[]): number {
  const place = replacementArguments[name]
  if (place === undefined) return name === 'overlay' || name === 'array_append' ? sum(args) : maxGrowth(args)
  const [subject, search] = args
  const replacement = constantText(args[place])
  if (replacement === null) throw new Unbounded(translatable('needs a constant replacement text in "{name}"', { name }))
  // A regular expression may match between all characters, and its replacement may contain the match; a plain search
  // text is replaced itself.
  const each = name === 'replace' ? replacement.length / Math.max(1, constantText(search)?.length ?? 1) : replacement.length + 1
  const growth = growthOfNode(subject) * Math.max(1, each)
  if (growth > maxGrowthBytes)
    throw new Unbounded(translatable('may make a text more than {maxGrowthBytes} times as long with "{name}"', { maxGrowthBytes, name }))
  return growth
}

const growthOfNode = (value: unknown): number => growthOf(nodeOf(value))

/** The same ratio for a part of a formula that was accepted. */
export function growthOf({ kind, fields }: Node): number {
  if (kind === 'ColumnRef') return 1
  if (kind === 'FuncCall') return growthOfCall(lastName(fields.funcname), (fields.args as unknown[]) ?? [])
  if (kind === 'A_ArrayExpr') return sum((fields.elements as unknown[]) ?? [])
  const isJoin = kind === 'A_Expr' && lastName(fields.name) === '||'
  return isJoin ? sum([fields.lexpr, fields.rexpr]) : maxGrowth(Object.values(fields).flat())
}

const isNode = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 1 && /^[A-Z]/.test(Object.keys(value)[0]!)

const growths = (values: readonly unknown[]) => values.filter(isNode).map(growthOfNode)
const sum = (values: readonly unknown[]) => growths(values).reduce((total, each) => total + each, 0)
const maxGrowth = (values: readonly unknown[]) => Math.max(0, ...growths(values))

const lastName = (names: unknown): string => String(nodeOf((names as unknown[]).at(-1)).fields.sval ?? '')

/** The text of a constant; null for anything else. */
function constantText(value: unknown): string | null {
  const { kind, fields }: Node = value === undefined ? { kind: '', fields: {} } : nodeOf(value)
  if (kind !== 'A_Const') return null
  if (fields.isnull) return ''
  return fields.sval ? String((fields.sval as { sval?: string }).sval ?? '') : null
}
