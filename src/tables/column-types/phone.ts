import { formatted } from './format'

/** As people write them, national or international; kept as it was written. */
export const phone = formatted({
  description: 'A phone number, with or without the country’s prefix.',
  pattern: '^[+]?[(]?[0-9][-0-9 ()./]*[0-9]( ?(x|ext[.]?) ?[0-9]+)?$',
  longest: 40,
  message: 'must be a phone number, as +49 30 901820',
  schema: {},
})
