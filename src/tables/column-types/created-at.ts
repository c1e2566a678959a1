import { stamp } from './stamp'

export const createdAt = stamp('The moment at which the record was made.')
