/** Signing in, tokens, users, invitations and rights. */
export const accessMessages = {
  'This is not an e-mail address.': 'Das ist keine E-Mail-Adresse.',
  'The password holds a character that is not valid Unicode.': 'Das Passwort enthält ein Zeichen, das kein gültiges Unicode ist.',
  'A name needs at least one visible character, and no NUL or broken surrogate.':
    'Ein Name braucht mindestens ein sichtbares Zeichen und darf weder NUL noch halbe Zeichen enthalten.',
  'E-mail or password is wrong.': 'E-Mail-Adresse oder Passwort ist falsch.',
  'The current password is wrong.': 'Das aktuelle Passwort ist falsch.',
  'This is one of the most common passwords; choose another.': 'Das ist eines der häufigsten Passwörter; wählen Sie ein anderes.',
  'This password is made of your own name, your e-mail address or the name of this product; choose another.':
    'Dieses Passwort besteht aus Ihrem Namen, Ihrer E-Mail-Adresse oder dem Namen dieses Produkts; wählen Sie ein anderes.',
  'This password repeats one or two characters; choose another.':
    'Dieses Passwort wiederholt ein oder zwei Zeichen; wählen Sie ein anderes.',
  'A password has 8 to 256 characters.': 'Ein Passwort hat 8 bis 256 Zeichen.',
  'Too many people are signing in at this moment.': 'Im Moment melden sich zu viele Personen an.',
  'Set the service up under its own address, {publicUrl}.': 'Richten Sie den Dienst unter seiner eigenen Adresse ein: {publicUrl}.',
  'You have no such session.': 'Diese Sitzung haben Sie nicht.',
  'The service has been set up already. Sign in instead.': 'Der Dienst ist bereits eingerichtet. Melden Sie sich an.',
  'Setting up needs the one-time code.': 'Zum Einrichten wird der Einmal-Code gebraucht.',
  'It is in the link that the start prints, in the file setup-code of the data directory, or in SETUP_CODE.':
    'Er steht im Link, den der Start ausgibt, in der Datei setup-code des Datenverzeichnisses oder in SETUP_CODE.',
  'There is a user with this e-mail address already; choose another address.':
    'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse; wählen Sie eine andere.',
  'Too many failed attempts. Try again in {seconds} seconds.':
    'Zu viele fehlgeschlagene Versuche. Versuchen Sie es in {seconds} Sekunden erneut.',
  'Too many requests. Try again in {seconds} seconds.': 'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut.',
  'Too many attempts are being checked at this moment.': 'Im Moment werden zu viele Versuche geprüft.',
  'A token cannot make one that may do more than itself.': 'Ein Token kann kein Token erzeugen, das mehr darf als es selbst.',
  'This user has {maxTokens} tokens already; revoke one that is no longer needed.':
    'Dieser Benutzer hat bereits {maxTokens} Token; widerrufen Sie eines, das nicht mehr gebraucht wird.',
  'People make their own API tokens. An administrator makes those of service users only.':
    'Personen erzeugen ihre API-Token selbst. Administratoren erzeugen nur die von Dienstbenutzern.',
  'You have {maxTokens} tokens already; revoke one that you no longer need.':
    'Sie haben bereits {maxTokens} Token; widerrufen Sie eines, das Sie nicht mehr brauchen.',
  'This time has passed.': 'Dieser Zeitpunkt liegt in der Vergangenheit.',
  'There is no such token.': 'Dieses Token gibt es nicht.',
  'A query parameter cannot be read.': 'Ein Parameter der Adresse ist nicht lesbar.',
  'A filter stands in the address more than once.': 'Ein Filter steht mehr als einmal in der Adresse.',
  'Ask once for each.': 'Nennen Sie jeden nur einmal.',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'Sign in, or send an API token.': 'Melden Sie sich an, oder senden Sie ein API-Token.',
  'Send Authorization: Bearer <token>, or the session cookie of POST /api/v1/auth/login.':
    'Senden Sie Authorization: Bearer <token> oder das Sitzungs-Cookie von POST /api/v1/auth/login.',
  'The API token is not valid: it is unknown, revoked, expired or malformed.':
    'Das API-Token ist ungültig: unbekannt, widerrufen, abgelaufen oder fehlerhaft.',
  'The session has ended. Sign in again.': 'Die Sitzung ist beendet. Melden Sie sich erneut an.',
  'This token may not do this; it needs {needed}.': 'Dieses Token darf das nicht; es braucht {needed}.',
  'The query parameter "token" stands in the address more than once.': 'Der Parameter "token" steht mehr als einmal in der Adresse.',
  'This needs the session of a browser; an API token cannot do it.':
    'Das geht nur in der Sitzung eines Browsers, nicht mit einem API-Token.',
  'A token is revoked with {request}.': 'Ein Token wird mit {request} widerrufen.',
  'This needs the role {role}.': 'Dafür wird die Rolle {role} gebraucht.',
  'the scope {needed}': 'den Umfang {needed}',
  'to be free of a restriction to tables': 'keine Beschränkung auf Tabellen',
  'This request was sent by another site and was not carried out.':
    'Diese Anfrage kam von einer anderen Website und wurde nicht ausgeführt.',
  'Scripts on other sites use an API token. Behind a proxy, set PUBLIC_URL to the address that browsers see.':
    'Skripte auf anderen Websites verwenden ein API-Token. Hinter einem Proxy setzen Sie PUBLIC_URL auf die Adresse, die Browser sehen.',
  'The caller must be looked up first.': 'Zuerst muss bekannt sein, wer fragt.',
  'This is no time as in RFC 3339 with its offset from UTC, such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00+01:00.':
    'Das ist kein Zeitpunkt nach RFC 3339 mit seinem Abstand von UTC, wie 2030-01-31T12:00:00Z oder 2030-01-31T12:00:00+01:00.',
  'This invitation is not valid: it is unknown, used or older than 72 hours.':
    'Diese Einladung ist ungültig: unbekannt, verwendet oder älter als 72 Stunden.',
  'Ask an administrator for a new link.': 'Bitten Sie die Administration um einen neuen Link.',
  'There is no such user.': 'Diesen Benutzer gibt es nicht.',
  'A person has an e-mail address.': 'Eine Person hat eine E-Mail-Adresse.',
  'A service user has a name.': 'Ein Dienstbenutzer hat einen Namen.',
  'A service user has no e-mail address.': 'Ein Dienstbenutzer hat keine E-Mail-Adresse.',
  'A service user has no password.': 'Ein Dienstbenutzer hat kein Passwort.',
  'This is a service user: it has no password, and is used by its API tokens.':
    'Das ist ein Dienstbenutzer: Er hat kein Passwort und wird mit seinen API-Token verwendet.',
  'There is a user with this e-mail address already.': 'Einen Benutzer mit dieser E-Mail-Adresse gibt es bereits.',
  'There is no user with this e-mail address.': 'Einen Benutzer mit dieser E-Mail-Adresse gibt es nicht.',
  'At least one administrator who can sign in must remain.':
    'Mindestens eine Person muss bleiben, die sich als Administrator anmelden kann.',
  'The cursor is none of this list.': 'Der Cursor gehört nicht zu dieser Liste.',
  'There is no such group.': 'Diese Gruppe gibt es nicht.',
  'There is a group with this name already.': 'Eine Gruppe mit diesem Namen gibt es bereits.',
  'There are {maxGroups} groups, which is the most.': 'Es gibt {maxGroups} Gruppen; mehr können es nicht sein.',
  'This group has {maxMembers} members, which is the most.': 'Diese Gruppe hat {maxMembers} Mitglieder; mehr können es nicht sein.',
  'The access document has rules for this group, on {tables}. Remove them first.':
    'Das Zugriffsdokument hat Regeln für diese Gruppe, und zwar für {tables}. Entfernen Sie diese zuerst.',
  'The name of a group needs at least one visible character, and no control characters.':
    'Der Name einer Gruppe braucht mindestens ein sichtbares Zeichen und darf keine Steuerzeichen enthalten.',
  'A group is not called "everyone", and its name does not begin with "role:" or "@".':
    'Eine Gruppe heißt nicht "everyone", und ihr Name beginnt nicht mit "role:" oder "@".',
} as const
