declare module '@hyzyla/pdfium/pdfium.wasm' {
  const path: string
  export default path
}
