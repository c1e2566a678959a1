import { useQuery } from '@tanstack/react-query'
import { peopleQuery } from '../../record/data/people'

/** Everybody, to choose one of them in a dialog. */
export function usePeopleOptions(isNeeded: boolean): { value: string; label: string }[] {
  const { data = [] } = useQuery({ ...peopleQuery, enabled: isNeeded })
  return [{ value: '', label: '' }, ...data.map(({ id, name }) => ({ value: id, label: name }))]
}
