import { createContext } from 'react'
import { Labels } from '../data/link-labels'

/** What the records are called that cells link to. */
export const LabelsContext = createContext(new Labels())
