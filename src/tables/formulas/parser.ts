import type { PgQuery } from 'libpg-query/wasm/libpg-query.js'
import wasmPath from 'libpg-query/wasm/libpg-query.wasm' with { type: 'file' }

/** A node of PostgreSQL's own syntax tree: its kind, and its fields as libpg_query writes them. */
export type Node = { kind: string; fields: Record<string, unknown> }

/** `position` counts characters of the expression from 1. */
export class Unreadable extends Error {
  constructor(readonly position: number) {
    super('PostgreSQL cannot read this.')
  }
}

let loading: Promise<PgQuery> | null = null

/** Loads a megabyte, so only when a formula has to be parsed. */
function load(): Promise<PgQuery> {
  loading ??= import('libpg-query/wasm/libpg-query.js').then((module) => module.default({ locateFile: () => wasmPath }))
  return loading
}

const prefix = 'select '

/** The position in the expression at which a node begins. @param offset in bytes of the parsed text */
export const toCharacterPosition = (expression: string, offset: number): number =>
  Buffer.from(prefix + expression)
    .subarray(prefix.length, Math.max(prefix.length, offset))
    .toString().length + 1

/**
 * One expression → its syntax tree, as PostgreSQL 17 reads it.
 * @throws Unreadable for anything but one expression: a second one, a clause, a second statement
 */
export async function parseExpression(expression: string): Promise<Node> {
  const statement = parseFormula(await load(), expression)
  const { targetList, limitOption: _, op: __, ...clauses } = statement
  const [target, ...others] = (targetList as { ResTarget: { val: object; name?: string; indirection?: unknown } }[] | undefined) ?? []
  if (!target || others.length || Object.keys(clauses).length || target.ResTarget.name || target.ResTarget.indirection)
    throw new Unreadable(1)
  return nodeOf(target.ResTarget.val)
}

export function nodeOf(value: unknown): Node {
  const [entry] = Object.entries(value as Record<string, Record<string, unknown>>)
  return { kind: entry?.[0] ?? '', fields: entry?.[1] ?? {} }
}

/** After a stack overflow the module cannot be used again. */
function treeOf(module: PgQuery, expression: string): string {
  try {
    return rawTreeOf(module, expression)
  } catch (error) {
    if (error instanceof Unreadable) throw error
    loading = null
    throw new Unreadable(1)
  }
}

function parseFormula(module: PgQuery, expression: string): Record<string, unknown> {
  const { stmts } = JSON.parse(treeOf(module, expression)) as { stmts?: { stmt: { SelectStmt?: Record<string, unknown> } }[] }
  const [first, ...others] = stmts ?? []
  if (!first?.stmt.SelectStmt || others.length) throw new Unreadable(1)
  return first.stmt.SelectStmt
}

function rawTreeOf(module: PgQuery, expression: string): string {
  const text = prefix + expression
  const bytes = module.lengthBytesUTF8(text) + 1
  const query = module._malloc(bytes)
  module.stringToUTF8(text, query, bytes)
  const result = module._wasm_parse_query_raw(query)
  try {
    const error = module.getValue(result + 8, 'i32')
    // The cursor's position counts characters from 1.
    if (error) throw new Unreadable(Math.max(1, module.getValue(error + 16, 'i32') - prefix.length))
    return module.UTF8ToString(module.getValue(result, 'i32'))
  } finally {
    module._free(query)
    module._wasm_free_parse_result(result)
  }
}
