import { useUser } from '../session/use-user'
import { Shell } from './shell'

export const AppFrame = () => <Shell user={useUser()} />
