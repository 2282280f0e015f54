// ElectroDB's everyday work: entities, indexes, a collection, updates, batches, transactions.

import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { deleteTable } from '../helpers.js'
import { createShop, customers, orders, shop, table } from './shop.js'

const order = (customer, number, more = {}) => ({
  customer,
  order: `o${String(number).padStart(3, '0')}`,
  placed: `2026-06-${String((number % 28) + 1).padStart(2, '0')}`,
  total: number,
  ...more,
})

beforeEach(createShop)
describe('the shop', () => {
  // A fresh table for every test.
  const fresh = (name, work) =>
    it(name, async () => {
      try {
        await work()
      } finally {
        await deleteTable(table)
      }
    })

  fresh('creates and gets', async () => {
    const ann = { customer: 'ann', email: 'ann@example.com', name: 'Ann', tags: ['new', 'vip'], visits: 0 }
    await customers.create(ann).go()
    assert.deepEqual((await customers.get({ customer: 'ann' }).go()).data, ann)
    assert.equal((await customers.get({ customer: 'bob' }).go()).data, null)
    await assert.rejects(customers.create(ann).go(), /The conditional request failed/)
    assert.deepEqual((await customers.query.byEmail({ email: 'ann@example.com' }).go()).data, [ann])
  })

  fresh('queries by index with sort key operators and filters', async () => {
    await orders.put(Array.from({ length: 30 }, (_, number) => order('ann', number, { status: number % 2 ? 'paid' : 'open' }))).go()
    const between = await orders.query.byCustomer({ customer: 'ann' }).between({ order: 'o005' }, { order: 'o008' }).go()
    assert.deepEqual(between.data.map((each) => each.total), [5, 6, 7, 8])
    const newest = await orders.query.byCustomer({ customer: 'ann' }).go({ order: 'desc', limit: 2 })
    assert.deepEqual(newest.data.map((each) => each.total), [29, 28])
    assert.ok(newest.cursor)
    const next = await orders.query.byCustomer({ customer: 'ann' }).go({ order: 'desc', limit: 2, cursor: newest.cursor })
    assert.deepEqual(next.data.map((each) => each.total), [27, 26])
    const paid = await orders.query
      .byStatus({ status: 'paid' })
      .begins({ placed: '2026-06-0' })
      .where(({ total }, { gt }) => gt(total, 4))
      .go()
    assert.deepEqual(paid.data.map((each) => each.total), [29, 5, 7])
    const all = await orders.scan.go({ pages: 'all' })
    assert.equal(all.data.length, 30)
  })

  fresh('reads a collection of two entities with one query', async () => {
    await customers.create({ customer: 'ann', email: 'a@example.com' }).go()
    await orders.create(order('ann', 1)).go()
    await orders.create(order('ann', 2)).go()
    await orders.create(order('bob', 3)).go()
    const { data } = await shop.collections.account({ customer: 'ann' }).go()
    assert.deepEqual(data.customer.map((each) => each.email), ['a@example.com'])
    assert.deepEqual(data.order.map((each) => each.total), [1, 2])
  })

  fresh('updates, patches and removes', async () => {
    await customers.create({ customer: 'ann', email: 'a@example.com', tags: ['new'] }).go()
    const { data } = await customers
      .patch({ customer: 'ann' })
      .add({ visits: 2, tags: ['vip'] })
      .set({ name: 'Ann' })
      .where(({ visits }, { eq }) => eq(visits, 0))
      .go({ response: 'all_new' })
    assert.deepEqual([data.visits, data.tags, data.name], [2, ['new', 'vip'], 'Ann'])
    await assert.rejects(customers.patch({ customer: 'bob' }).set({ name: 'Bob' }).go(), /The conditional request failed/)
    await customers.upsert({ customer: 'bob', email: 'b@example.com', name: 'Bob' }).go()
    assert.equal((await customers.get({ customer: 'bob' }).go()).data.name, 'Bob')

    // A changed index key moves the entry.
    await orders.create(order('ann', 1, { lines: [{ sku: 'a', count: 1 }] })).go()
    await orders
      .patch({ customer: 'ann', order: 'o001' })
      .set({ status: 'paid' })
      .composite({ placed: '2026-06-02' })
      .data(({ lines }, { set }) => set(lines[0].count, 5))
      .go()
    assert.equal((await orders.query.byStatus({ status: 'open' }).go()).data.length, 0)
    const [moved] = (await orders.query.byStatus({ status: 'paid' }).go()).data
    assert.deepEqual(moved.lines, [{ sku: 'a', count: 5 }])

    await customers.remove({ customer: 'ann' }).go()
    assert.equal((await customers.get({ customer: 'ann' }).go()).data, null)
  })

  fresh('gets and deletes in batches', async () => {
    await orders.put(Array.from({ length: 60 }, (_, number) => order('ann', number))).go()
    const keys = Array.from({ length: 60 }, (_, number) => ({ customer: 'ann', order: order('ann', number).order }))
    const { data, unprocessed } = await orders.get(keys).go()
    assert.equal(data.length, 60)
    assert.deepEqual(unprocessed, [])
    await orders.delete(keys.slice(0, 50)).go()
    assert.equal((await orders.query.byCustomer({ customer: 'ann' }).go()).data.length, 10)
  })

  fresh('writes and reads transactions', async () => {
    await customers.create({ customer: 'ann', email: 'a@example.com', visits: 1 }).go()
    const buy = (number) =>
      shop.transaction
        .write(({ customer, order: entity }) => [
          customer
            .patch({ customer: 'ann' })
            .add({ visits: 1 })
            .where(({ visits }, { lt }) => lt(visits, 2))
            .commit(),
          entity.create(order('ann', number)).commit(),
        ])
        .go()
    assert.equal((await buy(1)).canceled, false)
    const second = await buy(2)
    assert.equal(second.canceled, true)
    assert.deepEqual(second.data.map((each) => each.code), ['ConditionalCheckFailed', 'None'])
    const { data } = await shop.transaction
      .get(({ customer, order: entity }) => [
        customer.get({ customer: 'ann' }).commit(),
        entity.get({ customer: 'ann', order: 'o002' }).commit(),
      ])
      .go()
    assert.deepEqual([data[0].item.visits, data[1].item], [2, null])
  })
})
