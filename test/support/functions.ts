import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isFunctionLikeDeclaration, type Node, type SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'

type MeasuredFunction = { path: string; name: string; lines: number }

/**
 * Every function of a folder with its length in lines: declared, arrow, method, or within another one. The name is that
 * of the nearest declarations around it, such as `RangeEdits.clear`.
 */
export async function functionsIn(folder: string): Promise<MeasuredFunction[]> {
  const own = mkdtempSync(join(tmpdir(), 'rowhouse-functions-'))
  const config = join(own, 'tsconfig.json')
  // The files alone: neither their imports nor the library are read.
  const compilerOptions = { noResolve: true, noLib: true, types: [], jsx: 'preserve' }
  writeFileSync(config, JSON.stringify({ compilerOptions, include: [folder] }))
  const compiler = new API({ cwd: folder })
  try {
    const snapshot = await compiler.updateSnapshot({ openProjects: [config] })
    const { rootFiles, program } = snapshot.getProjects()[0]!
    const sources = await Promise.all(rootFiles.map((path) => program.getSourceFile(path)))
    return sources.flatMap((source) => (source ? measure(source, relative(folder, source.fileName)) : []))
  } finally {
    await compiler.close()
    rmSync(own, { recursive: true })
  }
}

function measure(source: SourceFile, path: string): MeasuredFunction[] {
  const found: MeasuredFunction[] = []
  const visit = (node: Node, around: readonly string[]) => {
    const name = (node as { name?: { text?: string } }).name?.text
    const names = name ? [...around, name] : around
    if (isFunctionLikeDeclaration(node) && node.body) {
      const lines = source.text.slice(node.getStart(source), node.end).split('\n').length
      found.push({ path, name: names.join('.'), lines })
    }
    node.forEachChild((child) => visit(child, names))
  }
  source.forEachChild((child) => visit(child, []))
  return found
}
