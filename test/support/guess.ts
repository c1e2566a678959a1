import { password, type TestApp } from './app'

/** Lets a test use many IPs: `X-Forwarded-For` is trusted. */
export const behindProxy = { TRUSTED_PROXIES: '127.0.0.1' }

type Guess = { from?: string; secret?: string; path?: string; headers?: Record<string, string> }

/** A sign-in; with a wrong password unless another is given. */
export const guess = (app: TestApp, email: string, { from, secret = 'a wrong password', path = '/auth/login', headers }: Guess = {}) =>
  app.call(path, { body: { email, password: secret }, headers: { ...(from ? { 'x-forwarded-for': from } : {}), ...headers } })

/** The password of every user that a test creates. */
export const right = { secret: password }

export const statusesOf = async (answers: Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).sort()

/** The number of responses with each status. */
export const tally = (statuses: number[]): Record<number, number> =>
  Object.fromEntries([...new Set(statuses)].map((status) => [status, statuses.filter((each) => each === status).length]))

export async function guessInTurn(app: TestApp, email: string, times: number, options: Guess = {}): Promise<number[]> {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push((await guess(app, email, options)).status)
  return statuses
}

/** Lets time pass for the throttle by moving its records into the past. */
export const letPass = (app: TestApp, seconds: number) =>
  app.deps.db.query('update rowhouse.auth_throttle set at = at - make_interval(secs => $1::int)', [String(seconds)])

/**
 * Records the last attempt `times` more times, as if it had come from that many IPs, been made on that many accounts,
 * or been repeated.
 */
export const repeatLast = (app: TestApp, times: number, { isPending = false, otherAddresses = false, otherAccounts = false } = {}) =>
  app.deps.db.query(
    `insert into rowhouse.auth_throttle (id, account_address, address, account, is_pending, at)
     select gen_random_uuid(), account_address || from_other || at_other, address || from_other, account || at_other, $2::boolean, at
     from (select * from rowhouse.auth_throttle order by at desc limit 1) last,
          lateral (select case when $3::boolean then n::text else '' end as from_other, case when $4::boolean then n::text else '' end as at_other
            from generate_series(1, $1::int) n) copies`,
    [String(times), String(isPending), String(otherAddresses), String(otherAccounts)],
  )
