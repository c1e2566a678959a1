import { literal } from '../sql-text'

const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const time = '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?'
const offset = '(Z|z|[-+][0-9]{2}(:?[0-9]{2})?)'

const matches = (text: string, pattern: string) => `btrim(${text}) ~ ${literal(`^${pattern}$`)}`

/** `31.01.2026` is a day wherever it is written; of `01/02/2026` nobody knows which. PostgreSQL would read "tomorrow", too. */
const dotted = (text: string) => `regexp_replace(btrim(${text}), '^([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{4})$', ${literal('\\3-\\2-\\1')})`

/** SQL: a text → one that is a day (YYYY-MM-DD) in form, of a moment its day in UTC; else null. */
export const dayOf = (text: string): string => `case when ${matches(text, day)} then btrim(${text})
  when ${matches(text, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}')} then ${dotted(text)}
  when ${matches(text, `${day}[T ]${time} ?${offset}?`)} then case when rowhouse.can_cast(${inUtc(text)}, 'timestamptz')
    then to_json((${inUtc(text)}::timestamptz at time zone 'UTC')::date) #>> '{}' end end`

/** Without an offset a time is one of UTC. */
const inUtc = (text: string) => `(btrim(${text}) || case when ${matches(text, `.*:.*${offset}`)} then '' else 'Z' end)`

/** SQL: a text → one that is a moment in form, with its offset; a day is its first moment in UTC; else null. */
export const momentOf = (text: string): string => `case when ${matches(text, `${day}[T ]${time} ?${offset}?`)} then ${inUtc(text)}
  when ${matches(text, day)} then btrim(${text}) || 'T00:00:00Z'
  when ${matches(text, '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}')} then ${dotted(text)} || 'T00:00:00Z' end`

/** SQL: a text → one that is a time of the day in form; else null. */
export const timeOf = (text: string): string => `case when ${matches(text, time)} then btrim(${text}) end`
