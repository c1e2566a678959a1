import { useUser } from '../user'
import { Shell } from './shell'

export const AppFrame = () => <Shell user={useUser()} />
