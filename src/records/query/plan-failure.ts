import { Failure, type FailureKind } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Relationship } from '../../tables/catalog/links/relationships'
import type { Table } from '../../tables/model'
import { nearest } from '../../tables/nearest'

/** Why a query has no plan. `/rest/v1` translates it into PostgREST's errors. */
export type QueryProblem =
  | { kind: 'unknownColumn'; table: Table; column: string }
  | { kind: 'unreadableColumn'; table: Table; column: string }
  | { kind: 'unknownRelation'; from: Table; relation: string; hint?: string }
  | { kind: 'ambiguousRelation'; from: Table; relation: string; choices: Relationship[] }
  | { kind: 'notEmbedded'; table: Table; relation: string }
  | { kind: 'notToOne'; table: Table; relation: string }
  | {
      kind:
        | 'unknownCast'
        | 'notJson'
        | 'wrongOperator'
        | 'wrongValue'
        | 'wrongAggregate'
        | 'wrongOrder'
        | 'tooMuch'
        | 'noKey'
        | 'wrongCursor'
        | 'wrongColumns'
    }

/** A failure of planning. The native routes respond to it as to any other Failure. */
export class QueryFailure extends Failure {
  constructor(
    readonly problem: QueryProblem,
    message: Message,
    hint?: Message,
    kind: FailureKind = 'invalid_request',
    details?: Record<string, unknown>,
  ) {
    super(kind, message, { ...(hint ? { hint } : {}), ...(details ? { details } : {}) })
  }
}

/** A name in a message, in quotes. A name may be as long as a URL, so the message shortens it. */
export const displayName = (name: string): string => `"${name.length > 80 ? `${name.slice(0, 80)}…` : name}"`

/** A hint with the most similar known name. */
export const suggestion = (asked: string, known: readonly string[], otherwise?: Message): Message | undefined => {
  const similar = nearest(asked, known)
  return similar === undefined ? otherwise : translatable('Did you mean "{similar}"?', { similar })
}

export function unknownColumn(table: Table, column: string): QueryFailure {
  const known = table.columns.filter(({ isReadable }) => isReadable).map(({ name }) => name)
  return new QueryFailure(
    { kind: 'unknownColumn', table, column },
    translatable('The table "{name}" has no column {displayName}.', { name: table.name, displayName: displayName(column) }),
    suggestion(column, known),
  )
}

/** @param isDenied by an access rule, and not by PostgreSQL */
export const unreadableColumn = (table: Table, column: string, isDenied = false) =>
  isDenied
    ? new QueryFailure(
        { kind: 'unreadableColumn', table, column },
        translatable('You may not read the column "{column}" of "{name}".', { column, name: table.name }),
        undefined,
        'forbidden',
      )
    : unreadableForRowhouse(table, column)

const unreadableForRowhouse = (table: Table, column: string) =>
  new QueryFailure(
    { kind: 'unreadableColumn', table, column },
    translatable('The database does not let Rowhouse read the column "{column}" of "{name}".', { column, name: table.name }),
    translatable('Grant the role of DATABASE_URL the SELECT privilege on it.'),
    'forbidden',
  )

export function unknownRelation(from: Table, relation: string, hint: string | undefined, known: Relationship[]): QueryFailure {
  const named = known.filter(({ to }) => to.name === relation)
  const hinted = [...new Set(named.map(({ constraint }) => constraint))].map((name) => `"${name}"`).join(', ')
  return new QueryFailure(
    { kind: 'unknownRelation', from, relation, hint },
    hint === undefined
      ? translatable('No foreign key joins "{name}" with {displayName}.', { name: from.name, displayName: displayName(relation) })
      : translatable('No foreign key joins "{name}" with {relation} by {hint}.', {
          name: from.name,
          relation: displayName(relation),
          hint: displayName(hint),
        }),
    hint !== undefined && named.length
      ? translatable('The foreign keys between them: {hinted}.', { hinted })
      : suggestion(
          relation,
          known.map(({ to }) => to.name),
          translatable('Only tables that a foreign key joins can be embedded.'),
        ),
  )
}

export function ambiguousRelation(from: Table, relation: string, choices: Relationship[]): QueryFailure {
  return new QueryFailure(
    { kind: 'ambiguousRelation', from, relation, choices },
    translatable('More than one foreign key joins "{name}" with {displayName}.', { name: from.name, displayName: displayName(relation) }),
    translatable('Specify one of them: {choices}.', {
      choices: choices.map((choice) => `${relation}!${relationshipHint(choice)}`).join(', '),
    }),
    'invalid_request',
    { choices: choices.map(({ cardinality, constraint, through }) => ({ cardinality, constraint, through: through?.table.name })) },
  )
}

/** The name that distinguishes this relationship from others between the same tables. */
const relationshipHint = ({ through, constraint }: Relationship): string => through?.table.name ?? constraint

export const notEmbedded = (table: Table, relation: string, known: readonly string[]) =>
  new QueryFailure(
    { kind: 'notEmbedded', table, relation },
    translatable('{displayName} is neither a column of "{name}" nor a table that "select" embeds.', {
      displayName: displayName(relation),
      name: table.name,
    }),
    suggestion(
      relation,
      known,
      translatable('Add it to the select parameter: {parameter}.', { parameter: `select=*,${relation.slice(0, 63)}(*)` }),
    ),
  )

type Simple = Exclude<QueryProblem, { table: Table } | { from: Table }>['kind']

export const queryFailure = (kind: Simple, message: Message, hint?: Message) => new QueryFailure({ kind }, message, hint)
