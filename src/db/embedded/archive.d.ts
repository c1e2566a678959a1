/** Importing a file with `{ type: 'file' }` gives a readable path, also inside the executable. */
declare module '*.tar.zst' {
  const path: string
  export default path
}
