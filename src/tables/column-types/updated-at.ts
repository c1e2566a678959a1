import { stamp } from './stamp'

export const updatedAt = stamp('The moment of the record’s last change, whoever made it: a trigger sets it.')
