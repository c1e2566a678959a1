import type { NewTable } from '../tables/model'
import { lines, orders, products } from './shop'

/**
 * A table of the sample with its records; links are the numbers of records, counted from 1 in the order of this file.
 */
export type SampleTable = {
  table: NewTable
  records: Record<string, unknown>[]
  /** Chooses a file of `pictures/` for a file column, by the record's position from 0. */
  pictures?: { column: string; nameOf: (index: number) => string }
}

const industries = ['Architecture', 'Food', 'Logistics', 'Publishing', 'Software']

const companies: SampleTable = {
  table: {
    name: 'companies',
    columns: [
      { name: 'name', type: 'text', required: true, unique: true },
      { name: 'industry', type: 'select', options: { choices: industries } },
      { name: 'city', type: 'text' },
      { name: 'website', type: 'url' },
      { name: 'founded', type: 'integer', options: { min: 1500, max: 2100 } },
      { name: 'notes', type: 'longText' },
      { name: 'created', type: 'createdAt' },
    ],
  },
  records: [
    {
      name: 'Alder & Stone',
      industry: 'Architecture',
      city: 'Bergen',
      website: 'https://alder-stone.example',
      founded: 1998,
      notes: 'Timber houses, mostly.\nAsk for the model of the harbour library.',
    },
    {
      name: 'Brightwater Books',
      industry: 'Publishing',
      city: 'Edinburgh',
      website: 'https://brightwater.example',
      founded: 1974,
      notes: null,
    },
    {
      name: 'Cardamom Kitchen',
      industry: 'Food',
      city: 'Lisbon',
      website: 'https://cardamom.example',
      founded: 2016,
      notes: 'Catering and a small test kitchen.',
    },
    {
      name: 'Delta Freight',
      industry: 'Logistics',
      city: 'Rotterdam',
      website: 'https://deltafreight.example',
      founded: 1961,
      notes: null,
    },
    {
      name: 'Ember Software',
      industry: 'Software',
      city: 'Tallinn',
      website: 'https://ember.example',
      founded: 2011,
      notes: 'Prefers to be written to.',
    },
    {
      name: 'Fjordlys',
      industry: 'Architecture',
      city: 'Tromsø',
      website: 'https://fjordlys.example',
      founded: 2004,
      notes: 'Light, indoors and out.',
    },
  ],
}

const contacts: SampleTable = {
  table: {
    name: 'contacts',
    columns: [
      { name: 'name', type: 'text', required: true },
      { name: 'email', type: 'email', unique: true },
      { name: 'phone', type: 'phone' },
      { name: 'company', type: 'link', options: { table: 'companies', onDelete: 'setNull' } },
      { name: 'role', type: 'text' },
      { name: 'interests', type: 'multiSelect', options: { choices: ['Events', 'Newsletter', 'Prices', 'Support'] } },
      { name: 'active', type: 'boolean', required: true, default: true },
      { name: 'birthday', type: 'date' },
    ],
  },
  records: [
    {
      name: 'Ingrid Solberg',
      email: 'ingrid@alder-stone.example',
      phone: '+47 55 50 10 01',
      company: 1,
      role: 'Partner',
      interests: ['Events', 'Prices'],
      active: true,
      birthday: '1971-03-14',
    },
    {
      name: 'Tomasz Zieliński',
      email: 'tomasz@alder-stone.example',
      phone: '+47 55 50 10 02',
      company: 1,
      role: 'Architect',
      interests: ['Newsletter'],
      active: true,
      birthday: '1988-11-02',
    },
    {
      name: 'Fiona MacRae',
      email: 'fiona@brightwater.example',
      phone: '+44 131 496 0102',
      company: 2,
      role: 'Editor',
      interests: ['Newsletter', 'Events'],
      active: true,
      birthday: '1980-06-21',
    },
    {
      name: 'Samuel Okafor',
      email: 'samuel@brightwater.example',
      phone: '+44 131 496 0177',
      company: 2,
      role: 'Rights manager',
      interests: [],
      active: false,
      birthday: null,
    },
    {
      name: 'Beatriz Almeida',
      email: 'beatriz@cardamom.example',
      phone: '+351 21 000 4410',
      company: 3,
      role: 'Chef',
      interests: ['Prices'],
      active: true,
      birthday: '1992-01-30',
    },
    {
      name: 'Rui Tavares',
      email: 'rui@cardamom.example',
      phone: null,
      company: 3,
      role: 'Buyer',
      interests: ['Prices', 'Support'],
      active: true,
      birthday: '1985-09-09',
    },
    {
      name: 'Marijke de Wit',
      email: 'marijke@deltafreight.example',
      phone: '+31 10 700 3300',
      company: 4,
      role: 'Dispatcher',
      interests: ['Support'],
      active: true,
      birthday: '1969-12-05',
    },
    {
      name: 'Hannes Brandt',
      email: 'hannes@deltafreight.example',
      phone: '+31 10 700 3311',
      company: 4,
      role: 'Fleet manager',
      interests: [],
      active: true,
      birthday: null,
    },
    {
      name: 'Liis Tamm',
      email: 'liis@ember.example',
      phone: '+372 600 1200',
      company: 5,
      role: 'Founder',
      interests: ['Events', 'Newsletter', 'Prices'],
      active: true,
      birthday: '1990-04-18',
    },
    {
      name: 'Aiko Mori',
      email: 'aiko@ember.example',
      phone: '+372 600 1201',
      company: 5,
      role: 'Designer',
      interests: ['Newsletter'],
      active: true,
      birthday: '1994-08-27',
    },
    {
      name: 'Jonas Eliassen',
      email: 'jonas@fjordlys.example',
      phone: '+47 77 60 20 30',
      company: 6,
      role: 'Lighting designer',
      interests: ['Events'],
      active: true,
      birthday: '1978-02-11',
    },
    {
      name: 'Nora Haugen',
      email: 'nora.haugen@mail.example',
      phone: null,
      company: null,
      role: 'Photographer',
      interests: ['Newsletter'],
      active: true,
      birthday: '1996-07-07',
    },
  ],
}

const projects: SampleTable = {
  table: {
    name: 'projects',
    columns: [
      { name: 'title', type: 'text', required: true },
      { name: 'company', type: 'link', required: true, options: { table: 'companies', onDelete: 'restrict' } },
      { name: 'status', type: 'select', required: true, default: 'Idea', options: { choices: ['Idea', 'Planned', 'Running', 'Done'] } },
      { name: 'starts', type: 'date' },
      { name: 'ends', type: 'date' },
      { name: 'days', type: 'formula', options: { expression: 'ends - starts' } },
      { name: 'budget', type: 'decimal', options: { precision: 12, scale: 2, min: 0 } },
      { name: 'people', type: 'manyLinks', options: { table: 'contacts' } },
      { name: 'files', type: 'attachment' },
      { name: 'changed', type: 'updatedAt' },
    ],
  },
  records: [
    {
      title: 'Harbour library',
      company: 1,
      status: 'Running',
      starts: '2026-01-12',
      ends: '2027-06-30',
      budget: '480000.00',
      people: [1, 2, 11],
    },
    {
      title: 'Boathouse extension',
      company: 1,
      status: 'Planned',
      starts: '2026-09-01',
      ends: '2027-02-15',
      budget: '96500.00',
      people: [2],
    },
    {
      title: 'Island poems, second edition',
      company: 2,
      status: 'Running',
      starts: '2026-02-02',
      ends: '2026-05-29',
      budget: '12800.00',
      people: [3, 12],
    },
    { title: 'Audio books', company: 2, status: 'Idea', starts: null, ends: null, budget: null, people: [3, 4] },
    { title: 'Summer menu', company: 3, status: 'Done', starts: '2026-03-01', ends: '2026-04-20', budget: '7450.50', people: [5, 6] },
    { title: 'Night routes', company: 4, status: 'Planned', starts: '2026-10-05', ends: '2026-12-18', budget: '31000.00', people: [7, 8] },
    {
      title: 'Customer portal',
      company: 5,
      status: 'Running',
      starts: '2026-01-05',
      ends: '2026-08-31',
      budget: '150000.00',
      people: [9, 10, 7],
    },
    {
      title: 'Winter light festival',
      company: 6,
      status: 'Idea',
      starts: '2026-12-01',
      ends: '2026-12-21',
      budget: '58000.00',
      people: [11, 12, 1],
    },
  ],
}

/** In the order in which they can be created: links point to earlier tables. */
export const sampleTables: readonly SampleTable[] = [companies, contacts, projects, products, orders, lines]
