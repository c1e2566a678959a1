import { expect, test } from 'bun:test'
import { statusOfState, throwDatabaseFailure } from '../../../../src/records/postgrest/errors/database-errors'
import { RestFailure } from '../../../../src/records/postgrest/errors/failure'

function answer(code: string, message: string, detail?: string, hint?: string) {
  try {
    throwDatabaseFailure(Object.assign(new Error(message), { code, detail, hint }))
  } catch (error) {
    if (error instanceof RestFailure) return error.answer
    return error
  }
}

test.each([
  [
    '23505',
    'duplicate key value violates unique constraint "k"',
    'Key (email)=(s3cret) already exists.',
    409,
    'duplicate key value violates unique constraint "k"',
    'Key (email) already exists.',
  ],
  [
    '23505',
    'duplicate key value violates unique constraint "k"',
    'Key (a, lower(b))=(1, s3cret) already exists.) already exists.',
    409,
    'duplicate key value violates unique constraint "k"',
    'Key (a, lower(b)) already exists.',
  ],
  [
    '23503',
    'insert or update on table "b" violates foreign key constraint "f"',
    'Key (a)=(s3cret) is not present in table "t".',
    409,
    'insert or update on table "b" violates foreign key constraint "f"',
    'Key (a) is not present in table "t".',
  ],
  [
    '23503',
    'update or delete on table "a" violates foreign key constraint "f" on table "b"',
    'Key (id)=(s3cret) is still referenced from table "b".',
    409,
    'update or delete on table "a" violates foreign key constraint "f" on table "b"',
    'Key (id) is still referenced from table "b".',
  ],
  [
    '23502',
    'null value in column "a" of relation "t" violates not-null constraint',
    'Failing row contains (s3cret).',
    400,
    'null value in column "a" of relation "t" violates not-null constraint',
    null,
  ],
  [
    '23514',
    'new row for relation "t" violates check constraint "c"',
    'Failing row contains (s3cret).',
    400,
    'new row for relation "t" violates check constraint "c"',
    null,
  ],
  ['22P02', 'invalid input syntax for type integer: "s3cret"', undefined, 400, 'invalid input syntax for type integer', null],
  ['22P02', 'invalid input value for enum mood: "s3cret " x"', undefined, 400, 'invalid input value for enum mood', null],
  ['22P02', 'malformed array literal: "{s3cret"', 'Unexpected end of input.', 400, 'malformed array literal', null],
  ['22P02', 'invalid input syntax for type json', 'Token "s3cret" is invalid.', 400, 'invalid input syntax for type json', null],
  ['22003', 'value "s3cret" is out of range for type bigint', undefined, 400, 'value is out of range for type bigint', null],
  ['22008', 'date/time field value out of range: "s3cret"', undefined, 400, 'date/time field value out of range', null],
  ['22023', 'time zone "s3cret" not recognized', undefined, 400, 'time zone not recognized', null],
  ['42601', 'syntax error in tsquery: "s3cret x"', undefined, 400, 'syntax error in tsquery', null],
  ['42501', 'permission denied for table t', undefined, 403, 'permission denied for table t', null],
  ['42P01', 'relation "shop.x" does not exist', undefined, 404, 'relation "shop.x" does not exist', null],
  ['42883', 'operator does not exist: integer @> unknown', undefined, 404, 'operator does not exist: integer @> unknown', null],
  [
    '54000',
    'index row size 9000 exceeds btree version 4 maximum 2704 for index "i"',
    'Index row references tuple (0,1) in relation "t".',
    400,
    'index row size 9000 exceeds btree version 4 maximum 2704 for index "i"',
    null,
  ],
])('%s: %s', (code, message, detail, status, said, details) => {
  expect(answer(code, message, detail)).toMatchObject({ status, code, message: said, details })
})

test('what a function raises is told whole', () => {
  expect(answer('P0001', 'No: "x"', 'why', 'how')).toMatchObject({ status: 400, message: 'No: "x"', details: 'why', hint: 'how' })
  expect(answer('ABC01', 'No: "x"', 'why')).toMatchObject({ status: 400, code: 'ABC01', message: 'No: "x"', details: 'why' })
  expect(answer('PT402', 'Pay first', 'why', 'how')).toMatchObject({ status: 402, code: 'PT402', message: 'Pay first' })
})

test('what the database could not do is none of the request’s doing', () => {
  for (const code of ['57014', '57P01', '53300', '08006', '40001', '55P03', 'XX000', '58030'])
    expect(answer(code, 'x')).not.toHaveProperty('status')
})

test('no state of the request’s doing is answered with 500', () => {
  for (const state of [
    '20000',
    '21000',
    '22012',
    '23000',
    '2F002',
    '38000',
    '39004',
    '42000',
    '44000',
    '54001',
    '55000',
    'P0002',
    '0A000',
    '25006',
    'ABC01',
  ]) {
    expect({ state, is4xx: (statusOfState(state) ?? 500) < 500 }).toEqual({ state, is4xx: true })
  }
})
