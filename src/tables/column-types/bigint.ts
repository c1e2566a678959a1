import { wholeNumbers } from './integer'

export const bigint = wholeNumbers(
  'bigint',
  2n ** 63n - 1n,
  'Whole number of 64 bits. Send it as a string where your language keeps fewer digits.',
)
