import './trusted-types'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { startLanguage } from './language'
import { ServiceMessages } from './layout/service-messages'
import { pageNonce } from './nonce'
import { queryClient } from './queries'
import { preloadPages, router } from './router'
import { colorSchemes, cssVariables, theme } from './theme'

await startLanguage()

createRoot(document.querySelector('#app')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    colorSchemeManager={colorSchemes}
    defaultColorScheme="auto"
    getStyleNonce={() => pageNonce}
  >
    <QueryClientProvider client={queryClient}>
      <ServiceMessages />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
)

// Safari has no idle time to give.
const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
idle(preloadPages)
