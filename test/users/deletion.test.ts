import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { sql } = app.deps.db
const records = '/api/v1/tables/invoices/records'
const remove = (id: string) => app.call(`/api/v1/users/${id}`, { as: 'admin', method: 'DELETE' })

/** A user who has created an invoice in this state. */
async function authorOf(state: string): Promise<string> {
  const { user, token } = await makePerson(app)
  expect((await app.call(records, { headers: bearer(token), body: { state } })).status).toBe(201)
  return user.id
}

beforeAll(async () => {
  const columns = [
    { name: 'state', type: 'text' },
    { name: 'owner', type: 'createdBy' },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'invoices', columns } })).status).toBe(201)
  await sql.unsafe(`alter table data.invoices add constraint owned check (owner is not null or state <> 'draft');
    create function data.refuse() returns trigger language plpgsql as $$ begin
      if old.state = 'closed' then raise 'This invoice is closed' using hint = 'Open it again.'; end if;
      if old.state = 'broken' then raise 'with a value' using errcode = '38000'; end if;
      if old.state = 'many' then raise 'canceling statement' using errcode = '57014'; end if;
      return new;
    end $$;
    create trigger refuse before update on data.invoices for each row execute function data.refuse();
    create function data.refuse_later() returns trigger language plpgsql as $$ begin
      raise 'This invoice is checked at the end';
    end $$;
    create constraint trigger refuse_later after update on data.invoices deferrable initially deferred
      for each row when (old.state = 'late') execute function data.refuse_later()`)
  await app.deps.catalog.refresh()
})

describe('an author of records is not deleted', () => {
  test('if a trigger refuses that their records lose them: 409 with its sentence', async () => {
    const id = await authorOf('closed')
    const problem = await expectProblem(await remove(id), 409, 'conflict')
    expect(problem).toMatchObject({
      message: 'A rule in the database refused this: This invoice is closed.',
      hint: 'Open it again.',
    })
    expect((await app.call(`/api/v1/users/${id}`, { as: 'admin' })).status).toBe(200)
  })

  test('if a deferred constraint refuses at the commit: 409 with its sentence', async () => {
    const id = await authorOf('late')
    const problem = await expectProblem(await remove(id), 409, 'conflict')
    expect(problem.message).toBe('A rule in the database refused this: This invoice is checked at the end.')
    expect((await app.call(`/api/v1/users/${id}`, { as: 'admin' })).status).toBe(200)
  })

  test('if a function fails with a text of its own: 409 without it', async () => {
    const problem = await expectProblem(await remove(await authorOf('broken')), 409, 'conflict')
    expect(problem.message).toBe('A rule in the database refused this.')
  })

  test('if a constraint requires one: 409 with the table', async () => {
    const problem = await expectProblem(await remove(await authorOf('draft')), 409, 'conflict')
    expect(problem).toMatchObject({
      message: 'The table "invoices" does not allow its records to lose this user.',
      hint: 'Disable the user instead, or change these records first.',
    })
  })

  test('if that takes longer than allowed: 503 with advice that helps', async () => {
    const problem = await expectProblem(await remove(await authorOf('many')), 503, 'query_timeout')
    expect(problem.hint).toContain('disable the user instead')
  })
})

test('the records of a deleted author stay', async () => {
  const id = await authorOf('open')
  expect((await remove(id)).status).toBe(204)
  const { records: found } = await json(app.call(`${records}?state=eq.open`, { as: 'admin' }))
  expect(found).toMatchObject([{ state: 'open', owner: null }])
})
