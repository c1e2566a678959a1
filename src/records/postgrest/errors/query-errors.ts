import type { Relationship } from '../../../tables/catalog/links/relationships'
import type { Table } from '../../../tables/model'
import { QueryFailure, type QueryProblem } from '../../query/plan-failure'
import { type RestAnswer, RestFailure } from './failure'

/** PostgreSQL's own code, and PostgREST's status for it, for queries that we reject before PostgreSQL would. */
const simple: Partial<Record<QueryProblem['kind'], { status: number; code: string }>> = {
  unknownCast: { status: 400, code: '42704' },
  notJson: { status: 404, code: '42883' },
  wrongOperator: { status: 404, code: '42883' },
  wrongValue: { status: 400, code: '22P02' },
  wrongAggregate: { status: 404, code: '42883' },
  wrongOrder: { status: 400, code: '42803' },
  wrongColumns: { status: 400, code: '42712' },
  unreadableColumn: { status: 403, code: '42501' },
}

/** Translates a query's failure into PostgREST's codes and sentences. @throws RestFailure; other errors unchanged */
export function throwQueryFailure(error: unknown): never {
  if (!(error instanceof QueryFailure)) throw error
  throw new RestFailure(queryAnswer(error), error.kind)
}

function queryAnswer({ problem, message, extras }: QueryFailure): RestAnswer {
  const hint = extras.hint === undefined ? null : String(extras.hint)
  switch (problem.kind) {
    case 'unknownColumn':
      return { status: 400, code: '42703', message: `column ${problem.table.name}.${problem.column} does not exist`, details: null, hint }
    case 'unknownRelation':
      return unknownRelation(problem, hint)
    case 'ambiguousRelation':
      return ambiguousRelation(problem)
    case 'notEmbedded':
      return notEmbedded(problem.relation)
    case 'notToOne':
      return notToOne(problem)
    default:
      return { status: 400, code: 'PGRST100', ...simple[problem.kind], message, details: null, hint }
  }
}

type Problem<Kind extends QueryProblem['kind']> = Extract<QueryProblem, { kind: Kind }>

function unknownRelation({ from, relation, hint: asked }: Problem<'unknownRelation'>, hint: string | null): RestAnswer {
  const way = asked === undefined ? '' : ` using the hint '${asked}'`
  return {
    status: 400,
    code: 'PGRST200',
    message: `Could not find a relationship between '${from.name}' and '${relation}' in the schema cache`,
    details: `Searched for a foreign key relationship between '${from.name}' and '${relation}'${way} in the schema '${from.schema}', but no matches were found.`,
    hint,
  }
}

function ambiguousRelation({ from, relation, choices }: Problem<'ambiguousRelation'>): RestAnswer {
  const named = choices.map((choice) => `'${relation}!${choice.through?.table.name ?? choice.constraint}'`).join(', ')
  return {
    status: 300,
    code: 'PGRST201',
    message: `Could not embed because more than one relationship was found for '${from.name}' and '${relation}'`,
    details: choices.map(describeChoice),
    hint: `Try changing '${relation}' to one of the following: ${named}. Find the desired relationship in the 'details' key.`,
  }
}

const cardinalities = { from: 'many-to-one', to: 'one-to-many', through: 'many-to-many' } as const

function describeChoice({ from, to, cardinality, holder, constraint, columns, through }: Relationship) {
  const own = list(columns.map(([name]) => name))
  const other = list(columns.map(([, name]) => name))
  return {
    cardinality: cardinality === 'toOne' && holder === 'to' ? 'one-to-one' : cardinalities[holder],
    embedding: `${from.name} with ${to.name}`,
    relationship: through
      ? `${through.table.name} using ${through.constraint}${other} and ${constraint}${list(through.targetColumns.map(([name]) => name))}`
      : `${constraint} using ${from.name}${own} and ${to.name}${other}`,
  }
}

const list = (names: string[]) => `(${names.join(', ')})`

const notEmbedded = (relation: string): RestAnswer => ({
  status: 400,
  code: 'PGRST108',
  message: `'${relation}' is not an embedded resource in this request`,
  details: null,
  hint: `Verify that '${relation}' is included in the 'select' query parameter.`,
})

const notToOne = ({ table, relation }: { table: Table; relation: string }): RestAnswer => ({
  status: 400,
  code: 'PGRST118',
  message: `A related order on '${relation}' is not possible`,
  details: `'${table.name}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
  hint: null,
})
