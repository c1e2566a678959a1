import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isFunctionLikeDeclaration, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'

type MeasuredFunction = { path: string; name: string; lines: number }
type Declarations = { functions: MeasuredFunction[]; locals: { path: string; name: string }[] }

const localKinds: readonly SyntaxKind[] = [SyntaxKind.VariableDeclaration, SyntaxKind.Parameter, SyntaxKind.BindingElement]

/**
 * Every function of a folder with its length in lines: declarations, arrow functions, methods, and nested ones. The
 * name is that of the nearest declarations around it, such as `RangeEdits.clear`. Also the variables and parameters.
 */
export async function declarationsIn(folder: string): Promise<Declarations> {
  const own = mkdtempSync(join(tmpdir(), 'rowhouse-functions-'))
  const config = join(own, 'tsconfig.json')
  // Parses only the files: neither their imports nor the library are read.
  const compilerOptions = { noResolve: true, noLib: true, types: [], jsx: 'preserve' }
  writeFileSync(config, JSON.stringify({ compilerOptions, include: [folder] }))
  const compiler = new API({ cwd: folder })
  try {
    const snapshot = await compiler.updateSnapshot({ openProjects: [config] })
    const { rootFiles, program } = snapshot.getProjects()[0]!
    const sources = await Promise.all(rootFiles.map((path) => program.getSourceFile(path)))
    const found = sources.flatMap((source) => (source ? [measure(source, relative(folder, source.fileName))] : []))
    return { functions: found.flatMap(({ functions }) => functions), locals: found.flatMap(({ locals }) => locals) }
  } finally {
    await compiler.close()
    rmSync(own, { recursive: true })
  }
}

function measure(source: SourceFile, path: string): Declarations {
  const found: Declarations = { functions: [], locals: [] }
  const visit = (node: Node, around: readonly string[]) => {
    const name = (node as { name?: { text?: string } }).name?.text
    const names = name ? [...around, name] : around
    if (isFunctionLikeDeclaration(node) && node.body) {
      const lines = source.text.slice(node.getStart(source), node.end).split('\n').length
      found.functions.push({ path, name: names.join('.'), lines })
    }
    if (name && localKinds.includes(node.kind)) found.locals.push({ path, name })
    node.forEachChild((child) => visit(child, names))
  }
  source.forEachChild((child) => visit(child, []))
  return found
}
