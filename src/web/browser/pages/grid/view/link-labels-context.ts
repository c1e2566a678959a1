import { createContext } from 'react'
import { LinkLabels } from '../data/link-labels'

/** The labels of linked records. */
export const LinkLabelsContext = createContext(new LinkLabels())
