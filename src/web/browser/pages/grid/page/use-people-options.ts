import { useQuery } from '@tanstack/react-query'
import { peopleQuery } from '../../record/data/people'

/** All users as options of a select. */
export function usePeopleOptions(isNeeded: boolean): { value: string; label: string }[] {
  const { data = [] } = useQuery({ ...peopleQuery, enabled: isNeeded })
  return [{ value: '', label: '' }, ...data.map(({ id, name }) => ({ value: id, label: name }))]
}
