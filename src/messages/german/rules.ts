/** Access rules. */
export const ruleMessages = {
  'You may not read records of this table.': 'Die Datensätze dieser Tabelle dürfen Sie nicht lesen.',
  'You may not create such a record in this table.': 'Einen solchen Datensatz dürfen Sie in dieser Tabelle nicht anlegen.',
  'You may not change this record in this way.': 'Diesen Datensatz dürfen Sie so nicht ändern.',
  'You may not write such a record to this table.': 'Einen solchen Datensatz dürfen Sie in diese Tabelle nicht schreiben.',
  '"{column}" must be your own user.': '"{column}" muss Ihr eigener Benutzer sein.',
  'You may not delete this record.': 'Diesen Datensatz dürfen Sie nicht löschen.',
  'You may not use this table.': 'Diese Tabelle dürfen Sie nicht verwenden.',
  'You may not read the column "{column}" of "{name}".': 'Die Spalte "{column}" von "{name}" dürfen Sie nicht lesen.',
  'On a column that holds no texts, @me.groups works only with "in".':
    'Bei einer Spalte, die keine Texte enthält, ist @me.groups nur mit „in“ möglich.',
  'In a rule, @me, @me.email, @me.groups and @now are whole values.':
    'In einer Regel sind @me, @me.email, @me.groups und @now ganze Werte.',
  'Write owner=eq.@me, email=eq.@me.email, team=in.@me.groups or ends=gte.@now.':
    'Schreiben Sie owner=eq.@me, email=eq.@me.email, team=in.@me.groups oder ends=gte.@now.',
  'A rule would keep the day on which PostgreSQL reads a word such as "today"; compare with @now.':
    'Eine Regel behielte den Tag, an dem PostgreSQL ein Wort wie "today" liest; vergleichen Sie mit @now.',
  'A rule needs a filter; "all" means every record.': 'Eine Regel braucht einen Filter; "all" meint alle Datensätze.',
  'A rule takes filters only: no order and no limit.': 'Eine Regel besteht nur aus Filtern, ohne Reihenfolge und Grenze.',
  'Callers whose access is limited by rules may not call this function.':
    'Wessen Zugriff durch Regeln beschränkt ist, darf diese Funktion nicht aufrufen.',
  'Callers whose access is limited by rules may not run SQL.': 'Wessen Zugriff durch Regeln beschränkt ist, darf kein SQL ausführen.',
  'Columns cannot be named for all tables; add a rule for each table.':
    'Für alle Tabellen zugleich lassen sich keine Spalten nennen; fügen Sie je Tabelle eine Regel hinzu.',
  'Rules do not apply to administrators.': 'Für Administratoren gelten keine Regeln.',
  'is not a group': 'ist keine Gruppe',
  'is not a group; did you mean "{similar}"?': 'ist keine Gruppe; meinten Sie "{similar}"?',
  'is not a table': 'ist keine Tabelle',
  'is not a table; did you mean "{similar}"?': 'ist keine Tabelle; meinten Sie "{similar}"?',
  'No table has the columns of this filter.': 'Keine Tabelle hat die Spalten dieses Filters.',
  'The view "{view}" shows rows of "{table}", which this rule narrows; the view has no rule of its own.':
    'Die Sicht "{view}" zeigt Zeilen von "{table}", was diese Regel einschränkt; die Sicht hat keine eigene Regel.',
  'The table no longer exists.': 'Die Tabelle gibt es nicht mehr.',
  'The group no longer exists.': 'Die Gruppe gibt es nicht mehr.',
  'A column of its lists no longer exists.': 'Eine Spalte ihrer Listen gibt es nicht mehr.',
  'A column that it reads cannot be read.': 'Eine Spalte, die sie liest, kann nicht gelesen werden.',
  'Tables and groups are being changed right now. Nothing was saved.':
    'Tabellen und Gruppen werden in diesem Augenblick geändert. Es wurde nichts gespeichert.',
  'The access document has changed since you read it.': 'Das Zugriffsdokument hat sich geändert, seit Sie es gelesen haben.',
  'You may not write "{name}".': '"{name}" dürfen Sie nicht schreiben.',
  'You are viewing Rowhouse as another user and cannot change anything.':
    'Sie sehen Rowhouse als ein anderer Benutzer und können nichts ändern.',
  'To end the view, send {request}.': 'Um das zu beenden, senden Sie {request}.',
  'Administrators see everything; choose another user.': 'Administratoren sehen alles; wählen Sie einen anderen Benutzer.',
  'This user cannot sign in; choose another user.': 'Dieser Benutzer ist gesperrt; wählen Sie einen anderen.',
  'may not be written by you': 'darf von Ihnen nicht geschrieben werden',
} as const
