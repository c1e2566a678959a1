/** Access rules. */
export const ruleMessages = {
  'You may not read records of this table.': 'Die Datensätze dieser Tabelle dürfen Sie nicht lesen.',
  'You may not create such a record in this table.': 'Einen solchen Datensatz dürfen Sie in dieser Tabelle nicht anlegen.',
  'You may not change this record in this way.': 'Diesen Datensatz dürfen Sie so nicht ändern.',
  'You may not write such a record to this table.': 'Einen solchen Datensatz dürfen Sie in diese Tabelle nicht schreiben.',
  '"{column}" has to be you.': '"{column}" müssen Sie selbst sein.',
  'You may not delete this record.': 'Diesen Datensatz dürfen Sie nicht löschen.',
  'You may not use this table.': 'Diese Tabelle dürfen Sie nicht verwenden.',
  'You may not read the column "{column}" of "{name}".': 'Die Spalte "{column}" von "{name}" dürfen Sie nicht lesen.',
  'A rule compares @me, @me.email, @me.groups and @now as whole values.':
    'Eine Regel vergleicht mit @me, @me.email, @me.groups und @now als ganzen Werten.',
  'Write owner=eq.@me, email=eq.@me.email, team=in.@me.groups or ends=gte.@now.':
    'Schreiben Sie owner=eq.@me, email=eq.@me.email, team=in.@me.groups oder ends=gte.@now.',
  'A rule needs a filter; "all" means every record.': 'Eine Regel braucht einen Filter; "all" meint alle Datensätze.',
  'A rule takes filters only: no order and no limit.': 'Eine Regel besteht nur aus Filtern, ohne Reihenfolge und Grenze.',
  'Functions are not for callers whose access is limited by rules.':
    'Funktionen sind nicht für Aufrufer, deren Zugriff durch Regeln beschränkt ist.',
  'SQL is not for callers whose access is limited by rules.': 'SQL ist nicht für Aufrufer, deren Zugriff durch Regeln beschränkt ist.',
  'Columns cannot be named for all tables; add a line for each table.':
    'Für alle Tabellen zugleich lassen sich keine Spalten nennen; fügen Sie je Tabelle eine Zeile hinzu.',
  'Administrators pass all rules.': 'Für Administratoren gelten keine Regeln.',
  'is no group': 'ist keine Gruppe',
  'is no group; did you mean "{similar}"?': 'ist keine Gruppe; meinten Sie "{similar}"?',
  'is no table': 'ist keine Tabelle',
  'is no table; did you mean "{similar}"?': 'ist keine Tabelle; meinten Sie "{similar}"?',
  'No table has the columns of this filter.': 'Keine Tabelle hat die Spalten dieses Filters.',
  'The view "{view}" shows rows of "{table}", which this line narrows; the view has no line of its own.':
    'Die Sicht "{view}" zeigt Zeilen von "{table}", was diese Zeile einschränkt; die Sicht hat keine eigene Zeile.',
  'The table is no longer there.': 'Die Tabelle gibt es nicht mehr.',
  'The group is no longer there.': 'Die Gruppe gibt es nicht mehr.',
  'A column of its lists is no longer there.': 'Eine Spalte ihrer Listen gibt es nicht mehr.',
  'A column that it reads cannot be read.': 'Eine Spalte, die sie liest, kann nicht gelesen werden.',
  'Tables and groups are being changed at this moment. Nothing was saved.':
    'Tabellen und Gruppen werden in diesem Augenblick geändert. Es wurde nichts gespeichert.',
  'The access document has changed since you read it.': 'Das Zugriffsdokument hat sich geändert, seit Sie es gelesen haben.',
  'You may not write "{name}".': '"{name}" dürfen Sie nicht schreiben.',
  'You look at Rowhouse as somebody else, and nothing can be changed meanwhile.':
    'Sie sehen Rowhouse als jemand anderes; solange lässt sich nichts ändern.',
  'End it with {request}.': 'Beenden Sie das mit {request}.',
  'Administrators see everything; look at it as somebody else.': 'Administratoren sehen alles; wählen Sie jemand anderen.',
  'This user cannot sign in; look at it as somebody else.': 'Dieser Benutzer ist gesperrt; wählen Sie jemand anderen.',
  'may not be written by you': 'darf von Ihnen nicht geschrieben werden',
} as const
