// The entities of a small shop in one table, as an ElectroDB user writes them.

import { Entity, Service } from 'electrodb'
import { createTable, documents } from '../helpers.js'

export const table = 'electrodb-shop'

export const createShop = () =>
  createTable({
    name: table,
    pk: 'pk:S',
    sk: 'sk:S',
    indexes: [
      { name: 'gsi1', pk: 'gsi1pk:S', sk: 'gsi1sk:S' },
      { name: 'gsi2', pk: 'gsi2pk:S', sk: 'gsi2sk:S' },
    ],
  })

const settings = { table, client: documents }

const Customer = new Entity(
  {
    model: { entity: 'customer', version: '1', service: 'shop' },
    attributes: {
      customer: { type: 'string', required: true },
      email: { type: 'string', required: true },
      name: { type: 'string' },
      tags: { type: 'set', items: 'string' },
      visits: { type: 'number', default: 0 },
    },
    indexes: {
      byId: {
        collection: 'account',
        pk: { field: 'pk', composite: ['customer'] },
        sk: { field: 'sk', composite: [] },
      },
      byEmail: { index: 'gsi1', pk: { field: 'gsi1pk', composite: ['email'] }, sk: { field: 'gsi1sk', composite: [] } },
    },
  },
  settings,
)

const Order = new Entity(
  {
    model: { entity: 'order', version: '1', service: 'shop' },
    attributes: {
      customer: { type: 'string', required: true },
      order: { type: 'string', required: true },
      status: { type: ['open', 'paid', 'sent'], default: 'open' },
      placed: { type: 'string', required: true },
      total: { type: 'number', required: true },
      lines: { type: 'list', items: { type: 'map', properties: { sku: { type: 'string' }, count: { type: 'number' } } } },
    },
    indexes: {
      byCustomer: {
        collection: 'account',
        pk: { field: 'pk', composite: ['customer'] },
        sk: { field: 'sk', composite: ['order'] },
      },
      byStatus: {
        index: 'gsi2',
        pk: { field: 'gsi2pk', composite: ['status'] },
        sk: { field: 'gsi2sk', composite: ['placed', 'order'] },
      },
    },
  },
  settings,
)

export const shop = new Service({ customer: Customer, order: Order }, settings)
export const { customer: customers, order: orders } = shop.entities
