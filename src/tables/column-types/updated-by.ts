import { author } from './author'

export const updatedBy = author(
  'The id of the user who changed the record last; empty for what was made past the API, and once the user is deleted.',
)
