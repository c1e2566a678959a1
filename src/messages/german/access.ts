/** Signing in, tokens, users, invitations and rights; those of the access document are in `rules.ts`. */
export const accessMessages = {
  'This is not an e-mail address.': 'Das ist keine E-Mail-Adresse.',
  'The password holds a character that is not valid Unicode.': 'Das Passwort enthält ein Zeichen, das kein gültiges Unicode ist.',
  'A name needs at least one visible character, and no NUL or broken surrogate.':
    'Ein Name braucht mindestens ein sichtbares Zeichen und darf weder NUL noch halbe Zeichen enthalten.',
  "A name cannot be an e-mail address, except the user's own. Choose another name.":
    'Ein Name darf keine E-Mail-Adresse sein, außer der eigenen. Wählen Sie einen anderen Namen.',
  'E-mail or password is wrong.': 'E-Mail-Adresse oder Passwort ist falsch.',
  'The current password is wrong.': 'Das aktuelle Passwort ist falsch.',
  'This is one of the most common passwords; choose another.': 'Das ist eines der häufigsten Passwörter; wählen Sie ein anderes.',
  'This password is based on your name, your e-mail address or the name of this product; choose another.':
    'Dieses Passwort besteht aus Ihrem Namen, Ihrer E-Mail-Adresse oder dem Namen dieses Produkts; wählen Sie ein anderes.',
  'This password repeats one or two characters; choose another.':
    'Dieses Passwort wiederholt ein oder zwei Zeichen; wählen Sie ein anderes.',
  'A password has 8 to 256 characters.': 'Ein Passwort hat 8 bis 256 Zeichen.',
  'Too many people are signing in right now.': 'Im Moment melden sich zu viele Personen an.',
  'Set the service up under its own address, {publicUrl}.': 'Richten Sie den Dienst unter seiner eigenen Adresse ein: {publicUrl}.',
  'You have no such session.': 'Diese Sitzung haben Sie nicht.',
  'The service has been set up already. Sign in instead.': 'Der Dienst ist bereits eingerichtet. Melden Sie sich an.',
  'Setup requires the one-time code.': 'Zum Einrichten wird der Einmal-Code gebraucht.',
  'Find it in the link that the service prints at startup, in the file setup-code in the data directory, or in SETUP_CODE.':
    'Sie finden ihn im Link, den der Dienst beim Start ausgibt, in der Datei setup-code im Datenverzeichnis oder in SETUP_CODE.',
  'A user with this e-mail address already exists; choose another address.':
    'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse; wählen Sie eine andere.',
  'Too many failed attempts. Try again in {seconds} seconds.':
    'Zu viele fehlgeschlagene Versuche. Versuchen Sie es in {seconds} Sekunden erneut.',
  'Too many requests. Try again in {seconds} seconds.': 'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut.',
  'Too many attempts are being checked right now.': 'Im Moment werden zu viele Versuche geprüft.',
  'A token cannot create a token with more rights than its own.': 'Ein Token kann kein Token erzeugen, das mehr darf als es selbst.',
  'This user has {maxTokens} tokens already; revoke one that is no longer needed.':
    'Dieser Benutzer hat bereits {maxTokens} Token; widerrufen Sie eines, das nicht mehr gebraucht wird.',
  'People create their own API tokens. Administrators create only those of service users.':
    'Personen erzeugen ihre API-Token selbst. Administratoren erzeugen nur die von Dienstbenutzern.',
  'You have {maxTokens} tokens already; revoke one that you no longer need.':
    'Sie haben bereits {maxTokens} Token; widerrufen Sie eines, das Sie nicht mehr brauchen.',
  'This time is in the past.': 'Dieser Zeitpunkt liegt in der Vergangenheit.',
  'There is no such token.': 'Dieses Token gibt es nicht.',
  'A query parameter cannot be read.': 'Ein Parameter der Adresse ist nicht lesbar.',
  'A filter appears in the URL more than once.': 'Ein Filter kommt in der Adresse mehr als einmal vor.',
  'Send each filter only once.': 'Senden Sie jeden Filter nur einmal.',
  'No route matches this URL.': 'Unter dieser Adresse gibt es nichts.',
  'Sign in, or send an API token.': 'Melden Sie sich an, oder senden Sie ein API-Token.',
  'Send Authorization: Bearer <token>, or the session cookie of POST /api/v1/auth/login.':
    'Senden Sie Authorization: Bearer <token> oder das Sitzungs-Cookie von POST /api/v1/auth/login.',
  'The API token is not valid: it is unknown, revoked, expired or malformed.':
    'Das API-Token ist ungültig: unbekannt, widerrufen, abgelaufen oder fehlerhaft.',
  'The session has ended. Sign in again.': 'Die Sitzung ist beendet. Melden Sie sich erneut an.',
  'This token may not do this; it needs {needed}.': 'Dieses Token darf das nicht; es braucht {needed}.',
  'The query parameter "token" appears in the URL more than once.': 'Der Parameter "token" kommt in der Adresse mehr als einmal vor.',
  'This requires a browser session; an API token cannot do it.': 'Das geht nur in der Sitzung eines Browsers, nicht mit einem API-Token.',
  'To revoke a token, send {request}.': 'Um ein Token zu widerrufen, senden Sie {request}.',
  'This needs the role {role}.': 'Dafür wird die Rolle {role} gebraucht.',
  'the scope {needed}': 'den Umfang {needed}',
  'access to all tables': 'Zugriff auf alle Tabellen',
  'This request was sent by another site and was not carried out.':
    'Diese Anfrage kam von einer anderen Website und wurde nicht ausgeführt.',
  'Scripts on other sites use an API token. Behind a proxy, set PUBLIC_URL to the address that browsers see.':
    'Skripte auf anderen Websites verwenden ein API-Token. Hinter einem Proxy setzen Sie PUBLIC_URL auf die Adresse, die Browser sehen.',
  'The caller must be looked up first.': 'Zuerst muss bekannt sein, wer fragt.',
  'This is not an RFC 3339 timestamp with an offset from UTC, such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00+01:00.':
    'Das ist kein Zeitpunkt nach RFC 3339 mit Abstand von UTC, wie 2030-01-31T12:00:00Z oder 2030-01-31T12:00:00+01:00.',
  'This invitation is not valid: it is unknown, used or older than 72 hours.':
    'Diese Einladung ist ungültig: unbekannt, verwendet oder älter als 72 Stunden.',
  'Ask an administrator for a new link.': 'Bitten Sie die Administration um einen neuen Link.',
  'There is no such user.': 'Diesen Benutzer gibt es nicht.',
  'A person needs an e-mail address.': 'Eine Person braucht eine E-Mail-Adresse.',
  'A service user needs a name.': 'Ein Dienstbenutzer braucht einen Namen.',
  'A service user cannot have an e-mail address.': 'Ein Dienstbenutzer kann keine E-Mail-Adresse haben.',
  'A service user cannot have a password.': 'Ein Dienstbenutzer kann kein Passwort haben.',
  'This is a service user: it has no password and signs in with its API tokens only.':
    'Das ist ein Dienstbenutzer: Er hat kein Passwort und meldet sich nur mit seinen API-Token an.',
  'This user is disabled; enable them first.': 'Dieser Benutzer ist gesperrt; entsperren Sie ihn zuerst.',
  'A user with this e-mail address already exists.': 'Einen Benutzer mit dieser E-Mail-Adresse gibt es bereits.',
  'There is no user with this e-mail address.': 'Einen Benutzer mit dieser E-Mail-Adresse gibt es nicht.',
  'At least one administrator who can sign in must remain.':
    'Mindestens eine Person muss bleiben, die sich als Administrator anmelden kann.',
  'The table "{table}" does not allow its records to lose this user.':
    'Die Tabelle "{table}" lässt nicht zu, dass ihre Datensätze diesen Benutzer verlieren.',
  'Disable the user instead, or change these records first.':
    'Sperren Sie den Benutzer stattdessen, oder ändern Sie zuerst diese Datensätze.',
  'Very many records may name this user: disable the user instead, or raise ROWHOUSE_QUERY_TIMEOUT.':
    'Vielleicht nennen sehr viele Datensätze diesen Benutzer: Sperren Sie ihn stattdessen, oder erhöhen Sie ROWHOUSE_QUERY_TIMEOUT.',
  'The cursor does not belong to this list.': 'Der Cursor gehört nicht zu dieser Liste.',
  'There is no such group.': 'Diese Gruppe gibt es nicht.',
  'A group with this name already exists.': 'Eine Gruppe mit diesem Namen gibt es bereits.',
  'The limit of {maxGroups} groups is reached; delete one that is no longer needed.':
    'Die Höchstzahl von {maxGroups} Gruppen ist erreicht; löschen Sie eine, die nicht mehr gebraucht wird.',
  'This group has reached the limit of {maxMembers} members.': 'Diese Gruppe hat die Höchstzahl von {maxMembers} Mitgliedern erreicht.',
  'The access document has rules for this group, on {tables}. Remove them first.':
    'Das Zugriffsdokument hat Regeln für diese Gruppe, und zwar für {tables}. Entfernen Sie diese zuerst.',
  'The name of a group needs at least one visible character, and no control characters.':
    'Der Name einer Gruppe braucht mindestens ein sichtbares Zeichen und darf keine Steuerzeichen enthalten.',
  'The name of a group cannot be "everyone" and cannot begin with "role:" or "@".':
    'Der Name einer Gruppe darf nicht "everyone" sein und nicht mit "role:" oder "@" beginnen.',
} as const
