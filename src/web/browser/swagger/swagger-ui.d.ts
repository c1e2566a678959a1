/** The package has no type declarations; these cover the parts used here. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  type UiRequest = { loadSpec?: boolean; headers: Record<string, string> }
  type Component = (props: { text: unknown }) => unknown
  type Plugin = (system: { React: { createElement: (tag: string, props: null, child: unknown) => unknown } }) => {
    wrapComponents: Record<string, () => Component>
  }
  type Options = {
    url: string
    dom_id: string
    deepLinking: boolean
    docExpansion: 'none'
    filter: boolean
    defaultModelsExpandDepth: number
    plugins: Plugin[]
    validatorUrl: null
    requestInterceptor: (request: UiRequest) => UiRequest
    onComplete: () => void
  }
  export default function SwaggerUIBundle(options: Options): { preauthorizeApiKey: (scheme: string, value: string) => void }
}
