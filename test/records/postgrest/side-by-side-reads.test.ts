import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { csv, exact, type Headers, one, startBoth } from '../../support/side-by-side'

const bothAnswers = await startBoth()

type Asked = [path: string, headers?: Headers]

const reads: Asked[] = [
  ['/books'],
  ['/books?select=id,title&limit=2'],
  ['/books?select=id&limit=2&offset=1', exact],
  ['/books?select=id&limit=2&offset=4', exact],
  ['/books?select=id&limit=2&offset=5', exact],
  ['/books?select=id&limit=2&offset=50'],
  ['/books?select=id&limit=0', exact],
  ['/books?select=id', { range: '1-2' }],
  ['/books?select=id', { range: '1-2', 'range-unit': 'items', ...exact }],
  ['/books?select=id', { range: '2-' }],
  ['/books?select=id', { range: '0-99', ...exact }],
  ['/books?select=id', { range: '9-1' }],
  ['/books?select=id&limit=1&offset=1', { range: '1-2' }],
  ['/books?select=id', { prefer: 'count=planned' }],
  ['/books?id=eq.1', one],
  ['/books?id=gt.1', one],
  ['/books?id=eq.99', one],
  ['/books?select=id,pages,in_print&order=id', { accept: 'application/vnd.pgrst.array+json;nulls=stripped' }],
  ['/books?select=id,pages&id=eq.3', { accept: 'application/vnd.pgrst.object+json;nulls=stripped' }],
  // Filters of every operator.
  ['/books?select=id&price=gt.8.25&price=lte.12'],
  ['/books?select=id&pages=neq.300'],
  ['/books?select=id&pages=not.eq.300'],
  ['/books?select=id&title=like.*ngines*'],
  ['/books?select=id&title=ilike.*ENGINES'],
  ['/books?select=id&title=like(any).{Eng*,Comp*}'],
  ['/books?select=id&title=not.like(all).{*e*,*n*}'],
  ['/books?select=id&title=match.^[EN]'],
  ['/books?select=id&title=imatch.^e'],
  ['/books?select=id&id=in.(1,3,99)'],
  ['/books?select=id&id=not.in.(1,3)'],
  ['/books?select=id&title=in.( Engines,Compilers)'],
  ['/books?select=id&or=(title.in.( "Engines"),id.eq.4)'],
  ['/books?select=id&id=in.()'],
  ['/books?select=id&title=in.("Kernels, \\"big\\" and small",Engines)'],
  ['/books?select=id&pages=is.null'],
  ['/books?select=id&in_print=is.true'],
  ['/books?select=id&in_print=not.is.true'],
  ['/books?select=id&in_print=is.unknown'],
  ['/books?select=id&pages=isdistinct.300'],
  ['/books?select=id&title=fts.engines'],
  ['/books?select=id&search=fts(english).engine'],
  ['/books?select=id&search=plfts.notes engines'],
  ['/books?select=id&search=phfts(english).notes on engines'],
  ['/books?select=id&search=not.wfts(english).-engines'],
  ['/books?select=id&tags=cs.{math}'],
  ['/books?select=id&tags=cd.{math,old,code}'],
  ['/books?select=id&tags=ov.{code,old}'],
  ['/books?select=id&tags=eq.{}'],
  ['/books?select=id&details=cs.{"lang":"en"}'],
  ['/books?select=id&sold=cs.7'],
  ['/books?select=id&sold=ov.[15,30)'],
  ['/books?select=id&sold=sl.[30,40)'],
  ['/books?select=id&sold=sr.(,2)'],
  ['/books?select=id&sold=nxr.[1,10)'],
  ['/books?select=id&sold=nxl.[3,4)'],
  ['/books?select=id&sold=adj.[20,30)'],
  ['/books?select=id&state=eq.sold out'],
  ['/books?select=id&state=gt.draft'],
  ['/books?select=id&id=eq(any).{1,2}'],
  ['/books?select=id&id=gte(all).{1,2}'],
  ['/books?select=id&or=(id.eq.1,and(price.lt.9,pages.not.is.null))'],
  ['/books?select=id&not.or=(id.eq.1,id.eq.2)'],
  ['/books?select=id&and=(id.gt.1,or(title.like.*engines,title.eq."Compilers"))'],
  ['/books?select=id&or=(tags.cs.{math,old},id.in.(3,4))'],
  // JSON.
  ['/books?select=id,details->lang,details->>lang&order=id'],
  ['/books?select=id,details->parts->0->>n,n:details->parts->-1->n'],
  ['/books?select=id&details->>lang=eq.en'],
  ['/books?select=id&details->parts->0->n=eq.1'],
  ['/books?select=id&details->>awards=is.null'],
  ['/books?select=id&order=details->>lang.desc.nullslast,id'],
  // Names, casts, aggregates.
  ['/books?select=number:id,title,price::int&order=id'],
  ['/books?select=price::text,id::float8&order=id'],
  ['/books?select=count()'],
  ['/books?select=state,price.sum(),n:count()&order=state'],
  ['/books?select=price.max()::text,price::int.avg()'],
  ['/books?select=author_id,authors!books_author_id_fkey(name),price.sum()&order=author_id'],
  ['/authors?select=name,books!books_author_id_fkey(price.sum())&order=id'],
  ['/odd names'],
  ['/odd%20names?"select"=eq.one&select="x.y",a b'],
  ['/odd names?select=s:"select"&order="a b".desc'],
  // Order.
  ['/books?select=id&order=pages'],
  ['/books?select=id&order=pages.desc'],
  ['/books?select=id&order=pages.desc.nullslast,id'],
  ['/books?select=id&order=pages.nullsfirst,id.desc'],
  // Embedding.
  ['/books?select=title,authors!books_author_id_fkey(name)&order=id'],
  ['/books?select=title,author:authors!author_id(name,born)&order=id'],
  ['/books?select=title,editor:authors!books_editor_fkey(name)&order=id'],
  ['/books?select=title,editor:authors!books_editor_fkey!inner(name)&order=id'],
  ['/books?select=title,...authors!books_author_id_fkey(by:name)&order=id'],
  ['/books?select=price.sum(),...authors!books_author_id_fkey(name)&order=authors(name).desc'],
  ['/books?select=title,covers(colour)&order=id'],
  ['/covers?select=colour,books(title)'],
  ['/books?select=title,shelves(label)&order=id'],
  ['/books?select=title,shelves!inner(label)&shelves.label=eq.top&order=id'],
  ['/books?select=title,shelves(label)&shelves.order=label.desc&shelves.limit=1&order=id'],
  ['/books?select=title,books_shelves(place,shelves(label))&order=id'],
  ['/authors?select=name,written:books!books_author_id_fkey(title,covers(colour))&order=id'],
  ['/authors?select=name,books!books_author_id_fkey(title)&books.price=gt.6&order=id'],
  ['/authors?select=name,books!books_author_id_fkey(title)&books.or=(price.gt.6,pages.lt.50)&order=id'],
  ['/authors?select=name,books!books_author_id_fkey!inner(title)&books.title=like.C*&order=id'],
  ['/authors?select=name,books!books_author_id_fkey(title)&books.limit=1&books.offset=1&books.order=id&order=id'],
  ['/authors?select=name,b:books!books_author_id_fkey(id)&b=is.null&order=id'],
  ['/authors?select=name,p:publishers(name)&p=not.is.null&order=id'],
  // Its name is that of a column, too.
  ['/books?select=id,author_id:authors!books_author_id_fkey(name)&author_id.name=eq.Ada&author_id=is.null&order=id'],
  ['/books?select=id,author_id:authors!books_author_id_fkey(name)&author_id.name=eq.Ada&author_id=not.is.null&order=id'],
  ['/authors?select=name,publishers(name)&order=publishers(name).desc.nullslast,id'],
  ['/authors?select=name,publishers()&order=id'],
  ['/publishers?select=name,authors(name,books!books_author_id_fkey(title,shelves(label)))&order=id'],
  ['/cheap?select=title,price&order=price'],
  ['/books?select=id,books_shelves(count)&order=id'],
  ['/books?select=title,authors!books_author_id_fkey(*)&id=eq.1', one],
  // What cannot be.
  ['/books?select=title,authors(name)'],
  ['/books?select=title,publishers(name)'],
  ['/books?select=nope'],
  ['/books?nope=eq.1'],
  ['/books?order=nope'],
  ['/books?nope.limit=1'],
  ['/books?id=eq.abc'],
  ['/books?id=5'],
  ['/books?id=nope.5'],
  ['/books?state=eq.nope'],
  ['/books?printed_at=gt.yesterdayish'],
  ['/books?sold=cs.[9,1)'],
  ['/books?title=match.('],
  ['/books?search=fts.a b'],
  ['/books?search=fts(klingon).a'],
  ['/books?select=id::nope'],
  ['/books?or=(id.eq.1'],
  ['/books?select=id,'],
  ['/books?order=id.up'],
  ['/authors?select=name,books!books_author_id_fkey(title)&order=books(title)'],
  ['/books?select=id', { 'accept-profile': 'nope' }],
  ['/facts', { 'accept-profile': 'side' }],
  ['/books?select=id&limit=1', { prefer: 'handling=strict, nope=1' }],
  ['/books?select=id&limit=1', { prefer: 'handling=lenient, nope=1' }],
]

test.each(reads)('GET %s %o', async (path, headers = {}) => {
  const { ours, theirs } = await bothAnswers(['GET', path, undefined, headers])
  expect(ours).toEqual(theirs)
})

test('HEAD is GET without its body', async () => {
  const { ours, theirs } = await bothAnswers(['HEAD', '/books?select=id&limit=2', undefined, exact])
  expect(ours).toEqual(theirs)
})

test('CSV holds the same fields, with fewer quotation marks', async () => {
  const { ours, theirs } = await bothAnswers(['GET', '/books?select=id,title,price,pages,in_print&order=id', undefined, csv])
  const [own = [], other = []] = [ours, theirs].map(({ body }) => parse(body as string))
  expect(own.length).toBe(5)
  expect(own).toEqual(other)
})
