import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compile, currentCommit } from './compile'
import { packPostgres } from './postgres'
import { hasValidSignature } from './release/signature'
import { here, sourceRoot, targets, toTarget } from './targets'
import { installBun, installTree } from './tree'
import { packTypesetting } from './typesetting'
import { packWeb } from './web'

const usage = `Usage: bun run build [--target ${targets.join('|')}] [--outfile dist/rowhouse]`

async function main() {
  const { values } = parseArgs({
    options: { target: { type: 'string', default: here }, outfile: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) return console.log(usage)
  const target = toTarget(values.target)
  const outfile = resolve(values.outfile ?? join('dist', target === here ? 'rowhouse' : `rowhouse-${target}`))
  const tree = target === here ? sourceRoot : join(sourceRoot, '.build', target)
  if (tree !== sourceRoot) await installTree(target, tree)
  const bun = tree === sourceRoot ? undefined : join(await installBun(target, join(sourceRoot, '.build/runtimes', target)), 'bin/bun')
  await Promise.all([packPostgres(tree, target), packTypesetting(tree), packWeb(tree)])
  await compile({ tree, target, outfile, commit: await currentCommit(), bun })
  if (target.startsWith('darwin') && !hasValidSignature(readFileSync(outfile)))
    console.error(`Bun ${Bun.version} leaves it with a signature that is not valid. On a Mac: codesign --force --sign - ${outfile}`)
  console.log(`${outfile} (${Math.round(Bun.file(outfile).size / 2 ** 20)} MB, ${target})`)
}

await main()
