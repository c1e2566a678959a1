import './trusted-types'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient, visitorQuery } from './api/queries'
import { startLanguage } from './language'
import { ServiceStatus } from './layout/service-status'
import { pageNonce } from './nonce'
import { loadFirstPage, preloadPages, router } from './router'
import { colorSchemes, cssVariables, theme } from './theme'

const preloadPauseMs = 1500

// Start both at once: the session and the strings do not depend on each other.
void queryClient.prefetchQuery(visitorQuery)
await Promise.all([startLanguage(), loadFirstPage()])

const page = (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    colorSchemeManager={colorSchemes}
    defaultColorScheme="auto"
    getStyleNonce={() => pageNonce}
  >
    <QueryClientProvider client={queryClient}>
      <ServiceStatus />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
)
// A transition renders in small steps and keeps the browser responsive.
startTransition(() => createRoot(document.querySelector('#app')!).render(page))

// After the first page, which should have the network and the CPU to itself. Safari has no `requestIdleCallback`.
const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
const stopListening = router.subscribe('onRendered', () => {
  stopListening()
  setTimeout(() => idle(preloadPages), preloadPauseMs)
})
