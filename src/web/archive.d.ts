/** A file embedded with `{ type: 'file' }` is the path where it can be read, inside the executable too. */
declare module '*.tar' {
  const path: string
  export default path
}
