import type { CSSProperties } from 'react'
import { colorOfText } from '../../../tables/choice-colors'

/**
 * The picture of a person: the initials of the name. Decorative, since the name is beside it.
 * @param id determines the color
 */
export const Initials = ({ name, id }: { name: string; id?: string }) => (
  <span
    className={id === undefined ? 'initials' : 'initials is-small'}
    data-initials={initialsOf(name)}
    style={id === undefined ? undefined : ({ '--chip': colorOfText(id) } as CSSProperties)}
    aria-hidden="true"
  />
)

/** The mark of a table, which distinguishes it in lists. Decorative, since the name is beside it. */
export const TableMark = ({ name, color = 'gray' }: { name: string; color?: string }) => (
  <span
    className="initials is-small is-table"
    data-initials={[...initialsOf(name)][0]}
    style={{ '--chip': color } as CSSProperties}
    aria-hidden="true"
  />
)

const initialsOf = (name: string) =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
