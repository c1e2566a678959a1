import { hash, verify } from '@node-rs/argon2'

/**
 * The reference for sign-ins: `argon2.ts <at a time> <seconds> <memory in KiB> <passes>` prints how many passwords are
 * verified in a second.
 */
const [width = 1, seconds = 3, memoryCost, timeCost] = process.argv.slice(2).map(Number)
const known = await hash('correct horse battery', { memoryCost, timeCost, parallelism: 1 })

let done = 0
const startedAt = performance.now()
const endsAt = startedAt + seconds * 1000
const worker = async () => {
  for (; performance.now() < endsAt; done++)
    if (!(await verify(known, 'correct horse battery'))) throw new Error('The password is not right.')
}
await Promise.all(Array.from({ length: width }, worker))
console.log(done / ((performance.now() - startedAt) / 1000))
