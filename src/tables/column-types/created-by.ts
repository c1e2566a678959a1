import { author } from './author'

export const createdBy = author(
  'The id of the user who made the record; empty for what was made past the API, and once the user is deleted.',
)
